import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { openFolder, readPointer } from '@hookline/safetensors/node';
import { errorOf, someOf, tempFolder } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { CheckpointInfo } from '../src/index.js';
import { contents, dirOf, model, type Outcome, type RunOptions, run, stopAt } from './fixture.js';

const AUTO = { resume: 'auto' } as const;

describe('a run that is cut off and started again with resume: "auto" gives the bits of one that was not', () => {
  /** Trains without a break; then until `cut`, and from there in a second trainer. */
  async function compare(options: RunOptions, cut: number): Promise<{ whole: Outcome; dir: string }> {
    const whole = await run(tempFolder(), options);
    const root = tempFolder();
    const first = await run(root, { ...options, hooks: [...(options.hooks ?? []), stopAt(cut)] });
    expect(first.result.status).toBe('stopped');
    const resumed = await run(root, { ...options, fit: { ...options.fit, ...AUTO } });
    expect(resumed.weights).toEqual(whole.weights);
    expect(resumed.result.metrics['val/loss']).toBe(whole.result.metrics['val/loss']);
    // It has gone on in the folder of the first.
    expect(contents(dirOf(resumed)).checkpoints).toEqual([]);
    return { whole, dir: dirOf(first) };
  }

  test.each(someOf([5, 1, 3, 8], 1))(
    'after step %i, and the best and the last are the same, too',
    async (cut) => {
      const { whole, dir } = await compare({ checkpoint: { every: { steps: 2 }, saveTopK: 2 } }, cut);
      const resumedFrom = (await ranks(dir)).filter(({ reason }) => reason === 'SIGINT');
      const rest = (await ranks(dir)).filter((each) => each.reason !== 'SIGINT');
      expect(rest).toEqual(await ranks(dirOf(whole)));
      expect(resumedFrom.map(({ step }) => step)).toEqual([cut]);
      for (const pointer of ['best.json', 'last.json']) {
        expect(await readPointer(join(dir, pointer))).toBe(await readPointer(join(dirOf(whole), pointer)));
      }
    },
  );

  test('with an average of the weights', async () => {
    await compare({ trainer: { ema: { decay: 0.9, keep: true } } }, 7);
  });

  test('with several optimizers and a schedule', async () => {
    const trainer: RunOptions['trainer'] = {
      optimizer: [
        { name: 'adamw', lr: 0.01, params: 'hidden/*' },
        { name: 'sgd', lr: 0.05, momentum: 0.9, params: 'out/*' },
      ],
      schedule: { name: 'cosine', steps: 15 },
    };
    await compare({ trainer }, 8);
  });

  test('with a frozen layer', async () => {
    const frozen = () => {
      const made = model();
      made.layers[0]!.trainable = false;
      return made;
    };
    await compare({ trainer: { model: frozen } }, 7);
  });

  test('with gradients that are added up over batches, cut off between two of them', async () => {
    const between: Hook = {
      name: 'between',
      onTrainBatchEnd: (ctx, { batchIndex }) => {
        if (ctx.state.epoch === 1 && batchIndex === 2) ctx.stop('SIGTERM');
      },
    };
    const options = { trainer: { accumulate: 2 } };
    const whole = await run(tempFolder(), options);
    const root = tempFolder();
    await run(root, { ...options, hooks: [between] });
    expect((await run(root, { ...options, fit: AUTO })).weights).toEqual(whole.weights);
  });

  test('after a failure in the middle of a step, from the last batch that was whole', async () => {
    const failing: Hook = {
      name: 'failing',
      onError: 'fail',
      onBeforeOptimizerStep: (ctx) => {
        if (ctx.state.step === 7) throw new Error('broken');
      },
    };
    const root = tempFolder();
    const steps: number[] = [];
    const listener: Hook = { name: 'listener', onTrainStart: (ctx) => void steps.push(ctx.state.step) };
    await expect(run(root, { hooks: [failing] })).rejects.toThrow('broken');
    const resumed = await run(root, { hooks: [listener], fit: AUTO });
    expect(steps).toEqual([7]);
    expect(resumed.weights).toEqual((await run(tempFolder())).weights);
  });

  test('with early stopping that brings the best weights back', async () => {
    const hooks = () => [earlyStopping({ patience: 2, minDelta: 0.05, restoreBest: true })];
    const options: RunOptions = { checkpoint: { every: { steps: 3 } }, fit: { epochs: 12 } };
    const whole = await run(tempFolder(), { ...options, hooks: hooks() });
    expect(whole.result.stopReason).toContain('early-stopping');
    const root = tempFolder();
    await run(root, { ...options, hooks: [...hooks(), stopAt(11)] });
    const resumed = await run(root, { ...options, hooks: hooks(), fit: { ...options.fit, ...AUTO } });
    expect(resumed.result.stopReason).toBe(whole.result.stopReason);
    expect(resumed.weights).toEqual(whole.weights);
  });

  async function ranks(dir: string): Promise<Pick<CheckpointInfo, 'rating' | 'step' | 'reason'>[]> {
    const all = contents(dir).checkpoints.map(async (name) => {
      const { rating, step, reason } = (await openFolder(join(dir, name))).manifest.info as CheckpointInfo;
      return { ...(rating && { rating }), step, reason };
    });
    return (await Promise.all(all)).sort((a, b) => a.step - b.step);
  }
});

describe('resume: "auto"', () => {
  test('starts over when the run before was finished, and continues it when more epochs are asked for', async () => {
    const root = tempFolder();
    const first = await run(root, { fit: { epochs: 2 } });
    const again = await run(root, { fit: { epochs: 2, ...AUTO } });
    expect(again.said.some(({ message }) => message.includes('has ended (all epochs are done)'))).toBe(true);
    expect(again.result.history).toEqual(first.result.history);
    expect(contents(dirOf(again)).checkpoints).toHaveLength(2);

    const more = await run(root, { fit: { epochs: 3, ...AUTO } });
    expect(more.result.history).toHaveLength(1);
    expect(more.weights).toEqual((await run(tempFolder(), { fit: { epochs: 3 } })).weights);
    expect(contents(dirOf(again)).checkpoints).toHaveLength(3);
  });

  test('starts over after early stopping, which finishes a run, too', async () => {
    const root = tempFolder();
    const hooks = () => [earlyStopping({ patience: 1, minDelta: 10 })];
    const first = await run(root, { hooks: hooks() });
    expect(first.result.stopReason).toContain('early-stopping');
    expect((await run(root, { hooks: hooks(), fit: AUTO })).result.history).toEqual(first.result.history);
  });

  test('does not take the checkpoints of another experiment, and says that there are some', async () => {
    const root = tempFolder();
    await run(root, { hooks: [stopAt(7)] });
    const other = { trainer: { optimizer: { name: 'sgd', lr: 0.1 } } } satisfies RunOptions;
    const { said, result } = await run(root, { ...other, fit: AUTO });
    expect(result.history).toHaveLength(3);
    expect(said.some(({ message }) => message.includes('1 earlier run has checkpoints'))).toBe(true);
  });

  test('skips damaged checkpoints, and says which and why', async () => {
    const root = tempFolder();
    const first = await run(root, {
      checkpoint: { filename: '{step}', every: { steps: 2 } },
      hooks: [stopAt(7)],
    });
    const dir = dirOf(first);
    expect(contents(dir).checkpoints).toEqual(['5', '6', '7']);
    damage(join(dir, '7', 'model.safetensors'));
    rmSync(join(dir, '6', 'manifest.json'));
    const seen: number[] = [];
    const first_: Hook = { name: 'first', onTrainStart: (ctx) => void seen.push(ctx.state.step) };
    const { warnings } = await run(root, { hooks: [first_], fit: AUTO });
    expect(seen).toEqual([5]);
    expect(warnings.filter((line) => line.startsWith('Skipped'))).toEqual([
      expect.stringMatching(/6: .*it has no manifest.json/),
      expect.stringMatching(/7: .*model.safetensors/),
    ]);
  });

  test('with a dir looks only there, and continues there', async () => {
    const root = tempFolder();
    const dir = join(root, 'mine');
    await run(root, { checkpoint: { dir }, hooks: [stopAt(7)] });
    const resumed = await run(root, { checkpoint: { dir }, fit: AUTO });
    expect(resumed.result.history).toHaveLength(2);
    expect(resumed.weights).toEqual((await run(tempFolder())).weights);
    const empty = await run(root, { checkpoint: { dir: join(root, 'other') }, fit: AUTO });
    expect(empty.result.history).toHaveLength(3);
  });
});

test('a resumed run saves when the unbroken one would have', async () => {
  const root = tempFolder();
  const steps: number[] = [];
  const listener: Hook = {
    name: 'listener',
    onBeforeCheckpointSave: (ctx) => void steps.push(ctx.state.step),
  };
  const options = { checkpoint: { every: { steps: 4 } }, withoutValidation: true };
  await run(root, { ...options, hooks: [listener, stopAt(6)] });
  await run(root, { ...options, hooks: [listener], fit: AUTO });
  expect(steps).toEqual([4, 6, 8, 12, 15]);
});

describe('resume by name', () => {
  test('"best" takes the best, "last" the newest, a path what lies there; each starts a new folder', async () => {
    const root = tempFolder();
    const first = await run(root, { checkpoint: { filename: '{epoch}', saveTopK: 1 }, fit: { epochs: 4 } });
    const dir = dirOf(first);
    const best = (await readPointer(join(dir, 'best.json'))) as string;
    const cases = [
      ['best', best],
      ['last', '4'],
      [join(dir, '4'), '4'],
      [dir, '4'],
      [first.result.runDir, '4'],
    ];
    for (const [resume, name] of cases) {
      const loaded: string[] = [];
      const listener: Hook = {
        name: 'listener',
        onCheckpointLoad: (_ctx, { path }) => void loaded.push(path),
      };
      const outcome = await run(root, { hooks: [listener], fit: { epochs: 5, resume: resume! } });
      expect(loaded).toEqual([join(dir, name!)]);
      expect(outcome.warnings).toEqual([]);
      expect(contents(dirOf(outcome)).checkpoints).not.toEqual([]);
      rmSync(outcome.result.runDir, { recursive: true });
    }
    expect(contents(dir).checkpoints).toEqual([...new Set([best, '4'])].sort());
  });

  test('the best so far is not forgotten in the new folder: a worse one does not take its place', async () => {
    const root = tempFolder();
    const score = (values: number[]): Hook => ({
      name: 'score',
      onEpochEnd: (ctx) => ctx.log({ 'my/score': values[ctx.state.epoch]! }),
    });
    const options = { filename: '{epoch}', monitor: 'my/score', mode: 'max' } as const;
    const values = [1, 9, 2, 3, 10];
    const first = await run(root, { checkpoint: options, hooks: [score(values)] });
    const second = await run(root, {
      checkpoint: options,
      hooks: [score(values)],
      fit: { epochs: 4, resume: join(dirOf(first), '3') },
    });
    const pointer = (await readPointer(join(dirOf(second), 'best.json'))) as string;
    expect(join(dirOf(second), pointer)).toBe(join(dirOf(first), '2'));
    const third = await run(root, {
      checkpoint: options,
      hooks: [score(values)],
      fit: { epochs: 5, resume: 'last' },
    });
    expect(await readPointer(join(dirOf(third), 'best.json'))).toBe('5');
    expect(contents(dirOf(first)).checkpoints).toEqual(['1', '2', '3']);
  });

  test('a damaged one that was named is an error with the reason, and so is one that does not exist', async () => {
    const root = tempFolder();
    const first = await run(root, { fit: { epochs: 1 } });
    const path = join(dirOf(first), 'epoch_1_step_5');
    await expect(run(root, { fit: { resume: 'nowhere' } })).rejects.toThrow(/"nowhere".*no such checkpoint/);
    damage(join(path, 'state.json'));
    await expect(run(root, { fit: { resume: path } })).rejects.toThrow(/state.json/);
  });

  test('"last" and "best" say what is missing, and suggest no other word', async () => {
    const root = tempFolder();
    const refused = (resume: string) => errorOf(run(root, { fit: { resume } }));
    expect((await refused('last')).message).toMatch(/Nothing was saved/);
    const best = (await refused('best')).message;
    expect(best).toMatch(/ranked.*"monitor".*val\/loss/);
    expect(best).not.toContain('Did you mean');
  });
});

describe('a checkpoint that does not fit', () => {
  const wider = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ name: 'hidden', units: 7, inputShape: [3], activation: 'tanh' }),
        tfl.layers.dense({ name: 'score', units: 1 }),
      ],
    });

  test('lists each difference', async () => {
    const root = tempFolder();
    const first = await run(root, { fit: { epochs: 1 } });
    const resume = join(dirOf(first), 'epoch_1_step_5');
    const failing = run(root, { trainer: { model: wider }, fit: { resume } });
    await expect(failing).rejects.toThrow(
      /score\/kernel: not in the snapshot(.|\n)*hidden\/kernel: saved \[3,6\], model \[3,7\](.|\n)*strict: false/,
    );
  });

  test('is loaded as far as it fits with strictResume: false, and each part that did not fit is named', async () => {
    const root = tempFolder();
    const first = await run(root, { fit: { epochs: 1 } });
    const resume = join(dirOf(first), 'epoch_1_step_5');
    const deeper = () => {
      const made = model();
      made.add(tfl.layers.dense({ name: 'more', units: 1 }));
      return made;
    };
    const fit = { resume, strictResume: false, epochs: 2 };
    const { warnings, result, weights } = await run(root, {
      trainer: { model: deeper },
      // What was loaded, before it learns.
      hooks: [{ name: 'at once', onTrainStart: (ctx) => ctx.stop('SIGINT') }],
      fit,
    });
    expect(weights.slice(0, 4)).toEqual(first.weights);
    expect(result.status).toBe('stopped');
    expect(warnings.join('\n')).toContain('"more/kernel"');
    expect(warnings.join('\n')).toContain('"more/bias"');

    const other = await run(root, { trainer: { model: wider }, fit });
    expect(other.result.history).toHaveLength(1);
    for (const path of [
      'hidden/kernel',
      'hidden/bias',
      'score/kernel',
      'score/bias',
      'out/kernel',
      'out/bias',
    ]) {
      expect(other.warnings.join('\n')).toContain(`"${path}"`);
    }
  });
});

test('the state of a hook that is not installed any more is kept for the day when it is', async () => {
  const root = tempFolder();
  const counter = (): Hook & { count: number } => ({
    name: 'counter',
    count: 0,
    onTrainBatchEnd() {
      this.count++;
    },
    saveState() {
      return this.count;
    },
    loadState(state) {
      this.count = state as number;
    },
  });
  await run(root, { hooks: [counter(), stopAt(5)] });
  const { warnings } = await run(root, { hooks: [stopAt(10)], fit: AUTO });
  expect(warnings.join()).toContain('"hook counter"');
  const back = counter();
  await run(root, { hooks: [back], fit: AUTO });
  expect(back.count).toBe(10);
});

function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length - 3]! ^= 1;
  writeFileSync(file, bytes);
}
