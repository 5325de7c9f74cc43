import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { declaredHooks } from './declared-hooks.js';

/** What people write who know Keras, Lightning, W&B or MLflow, and what the message must name. */
const FOREIGN: Record<string, Record<string, string>> = {
  'early-stopping': {
    restoreBestWeights: 'restoreBest: true',
    restore_best_weights: 'restoreBest: true',
    min_delta: '"minDelta"',
    start_from_epoch: 'patience',
  },
  checkpoint: {
    saveBestOnly: 'saveTopK: 1',
    save_best_only: 'saveTopK: 1',
    save_top_k: '"saveTopK"',
    save_last: '"saveLast"',
    save_weights_only: 'trainer.load(path)',
    dirpath: '"dir"',
    filepath: '"dir"',
    every_n_epochs: 'every: { epochs: 1 }',
    every_n_train_steps: 'every: { steps: 1000 }',
    save_freq: 'every:',
  },
  progress: { refresh_rate: '"refreshMs"', disable: 'hooks: { progress: false }' },
  'lr-monitor': { logging_interval: '"frequency"', log_momentum: '"momentum"' },
  tensorboard: {
    log_dir: '"dir"',
    logDir: '"dir"',
    update_freq: '"every"',
    histogram_freq: 'gradient-monitor',
  },
  'csv-log': { filename: '"file"', append: 'resumed' },
  'json-log': { filename: '"file"' },
  wandb: { entity: 'init: { entity }', tags: 'init: { tags }', config: 'hyperparameters' },
  mlflow: { tracking_uri: '"uri"', experiment_name: '"experiment"' },
  notify: { webhook_url: '"webhook"', url: '"webhook"', timeout: '"timeoutMs"' },
  debug: { detect_anomaly: "nan: 'stop'", terminateOnNaN: 'nan' },
  'gradient-monitor': { log_freq: '"every"' },
  activations: { layers: '"capture"' },
};

describe.each(declaredHooks)('$hook', ({ hook, exported, folder }) => {
  const factory = async () => {
    const { [exported]: made } = await import(pathToFileURL(join(folder, 'src/index.ts')).href);
    return made as ((options: unknown) => unknown) & { options: { names: string[] } };
  };

  test('refuses an option that it does not have, by name, and lists those that it has', async () => {
    const make = await factory();
    expect(() => make({ noSuchOption: 1 })).toThrow(
      expect.objectContaining({
        code: 'HOOK_OPTIONS',
        message: expect.stringMatching(
          new RegExp(`^Hook "${hook}".*"noSuchOption".*Known options: ${make.options.names.join(', ')}`, 's'),
        ),
      }),
    );
  });

  test('refuses a value of the wrong type in each option, and names the option', async () => {
    const make = await factory();
    for (const name of make.options.names) {
      expect(() => make({ [name]: Symbol.for('wrong') }), name).toThrow(
        expect.objectContaining({ code: 'HOOK_OPTIONS', message: expect.stringContaining(name) }),
      );
    }
  });

  test('refuses options that are not an object', async () => {
    const make = await factory();
    for (const wrong of [3, 'yes', null]) expect(() => make(wrong)).toThrow(/expected an object/);
  });

  test.each(Object.entries(FOREIGN[hook] ?? {}))('answers %s with %s', async (name, ours) => {
    const make = await factory();
    expect(() => make({ [name]: 1 })).toThrow(
      expect.objectContaining({ code: 'HOOK_OPTIONS', message: expect.stringContaining(ours) }),
    );
  });
});

test('the table names hooks that there are', () => {
  expect(declaredHooks.map(({ hook }) => hook)).toEqual(expect.arrayContaining(Object.keys(FOREIGN)));
});
