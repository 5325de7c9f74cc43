import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { openFolder, readPointer } from '@hookline/safetensors/node';
import { regression, tempFolder } from '@hookline/test-support';
import type { Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { checkpoint } from '../src/index.js';
import { contents, dirOf, infoOf, type RunOptions, run, scripted, stopAt } from './fixture.js';

const SCORED = { monitor: 'my/score', mode: 'max' } as const;

/** The epochs whose checkpoints are left at the end. */
async function kept(values: readonly number[], options: RunOptions['checkpoint'] = {}): Promise<string[]> {
  const outcome = await run(tempFolder(), {
    hooks: [scripted('my/score', values)],
    checkpoint: { ...SCORED, filename: '{epoch}', ...options },
    fit: { epochs: values.length },
  });
  return contents(dirOf(outcome)).checkpoints;
}

describe('what is kept', () => {
  test('the best ones and the newest are kept in the folder of the run, with pointers to both', async () => {
    const outcome = await run(tempFolder(), {
      hooks: [scripted('my/score', [5, 1, 9, 3, 7, 2])],
      checkpoint: { ...SCORED, saveTopK: 2 },
      fit: { epochs: 6 },
    });
    const dir = dirOf(outcome);
    expect(contents(dir)).toEqual({
      checkpoints: ['epoch_3_step_15', 'epoch_5_step_25', 'epoch_6_step_30'],
      files: ['best.json', 'ended.json', 'last.json'],
    });
    expect(await readPointer(join(dir, 'best.json'))).toBe('epoch_3_step_15');
    expect(await readPointer(join(dir, 'last.json'))).toBe('epoch_6_step_30');
  });

  test('a folder has the model, the state of the optimizer, the rest as JSON, and a manifest', async () => {
    const outcome = await run(tempFolder(), { fit: { epochs: 1 } });
    const folder = await openFolder(join(dirOf(outcome), 'epoch_1_step_5'));
    expect([...folder.manifest.files.keys()].sort()).toEqual([
      'model.json',
      'model.safetensors',
      'optimizer.safetensors',
      'state.json',
    ]);
    expect(await infoOf(folder.path)).toMatchObject({
      reason: 'every epoch',
      step: 5,
      epoch: 0,
      completedEpochs: 1,
      rating: { monitor: 'val/loss', mode: 'min', value: outcome.result.metrics['val/loss'] },
      run: outcome.result.runDir.split('/').at(-1),
      metrics: { 'train/loss': outcome.result.metrics['train/loss'] },
    });
    const { tensors } = await folder.readSafetensors('model.safetensors');
    expect([...tensors.keys()].sort()).toEqual(['hidden/bias', 'hidden/kernel', 'out/bias', 'out/kernel']);
    expect([...tensors.get('out/kernel')!.data]).toEqual(outcome.weights[2]);
    expect(JSON.parse(await folder.readText('model.json')).modelTopology.class_name).toBe('Sequential');
  });

  test('NaN and infinity are never among the best, whatever comes before and after', async () => {
    expect(await kept([Number.NaN, 3, Infinity, 5, 4], { saveTopK: 1 })).toEqual(['4', '5']);
    expect(await kept([-Infinity, -2, Number.NaN, -3], { saveTopK: 1, mode: 'min' })).toEqual(['4']);
  });

  test('without saveLast only the best are kept', async () => {
    expect(await kept([5, 1, 9, 3, 7, 2], { saveTopK: 2, saveLast: false })).toEqual(['3', '5']);
  });

  test('with saveTopK 0 only the last, with -1 all', async () => {
    expect(await kept([5, 1, 9], { saveTopK: 0 })).toEqual(['3']);
    expect(await kept([5, 1, 9], { saveTopK: -1 })).toEqual(['1', '2', '3']);
  });

  test('a run without validation keeps its newest', async () => {
    const outcome = await run(tempFolder(), {
      checkpoint: { saveTopK: 2, filename: '{epoch}' },
      fit: { epochs: 4 },
      withoutValidation: true,
    });
    expect(contents(dirOf(outcome)).checkpoints).toEqual(['3', '4']);
  });

  test('two checkpoints with the same name are kept side by side', async () => {
    expect(await kept([1, 2, 3], { filename: 'same' })).toEqual(['same', 'same-v1', 'same-v2']);
  });

  test('the metrics of the moment are in the name', async () => {
    const outcome = await run(tempFolder(), {
      checkpoint: { filename: '{epoch}-{val/loss:.2f}', autoInsertMetricName: true },
      fit: { epochs: 1 },
    });
    const loss = outcome.result.metrics['val/loss']!.toFixed(2);
    expect(contents(dirOf(outcome)).checkpoints).toEqual([`epoch=1-val_loss=${loss}`]);
  });

  test('what others put into the folder is never touched', async () => {
    const root = tempFolder();
    const dir = join(root, 'mine');
    await run(root, { checkpoint: { dir, saveTopK: 1 }, fit: { epochs: 2 } });
    const before = contents(dir).checkpoints;
    // Another run of the same code, which does not resume: the checkpoints of the first do not belong to it.
    await run(root, { checkpoint: { dir, saveTopK: 1 }, fit: { epochs: 4 }, trainer: { seed: 2 } });
    expect(contents(dir).checkpoints).toEqual(expect.arrayContaining(before));
    expect(contents(dir).checkpoints.length).toBeLessThanOrEqual(before.length + 2);
  });
});

describe('when it saves', () => {
  const reasons = async (
    checkpoint: RunOptions['checkpoint'],
    { withoutValidation = false, ...fit }: RunOptions['fit'] & { withoutValidation?: boolean } = {},
    hooks: Hook[] = [],
  ) => {
    const saved: string[] = [];
    const listener: Hook = {
      name: 'listener',
      onCheckpointSave: (ctx, { reason }) => void saved.push(`${ctx.state.step} ${reason}`),
    };
    await run(tempFolder(), {
      checkpoint: { saveTopK: -1, ...checkpoint },
      hooks: [listener, ...hooks],
      fit,
      withoutValidation,
    });
    return saved;
  };

  test('by steps, and once more at the end', async () => {
    expect(await reasons({ every: { steps: 4 } }, { epochs: 2, withoutValidation: true })).toEqual([
      '4 every 4 steps',
      '8 every 4 steps',
      '10 end of training',
    ]);
  });

  test('by epochs', async () => {
    expect(await reasons({ every: { epochs: 2 } }, { epochs: 5 })).toEqual([
      '10 every 2 epochs',
      '20 every 2 epochs',
      '25 end of training',
    ]);
  });

  test('by minutes', async () => {
    const wait: Hook = {
      name: 'wait',
      onTrainBatchEnd: () => new Promise((resolve) => setTimeout(resolve, 40)),
    };
    const saved = await reasons({ every: { minutes: 0.001 } }, { epochs: 1, withoutValidation: true }, [
      wait,
    ]);
    expect(saved.filter((line) => line.endsWith('every 0.001 minutes')).length).toBeGreaterThan(1);
  });

  test('a checkpoint that was due when its metric was not known is ranked after the next validation', async () => {
    expect(await reasons({ every: { steps: 4 }, monitor: 'val/loss' }, { epochs: 1 })).toEqual([
      '4 every 4 steps',
      '5 validation',
    ]);
  });

  test('a checkpoint is never ranked by a validation of other weights', async () => {
    const outcome = await run(tempFolder(), {
      checkpoint: { every: { steps: 4 }, saveTopK: -1, filename: '{step}' },
      fit: { epochs: 2 },
    });
    const dir = dirOf(outcome);
    const rated = await Promise.all(
      contents(dir).checkpoints.map(async (name) => [name, 'rating' in (await infoOf(join(dir, name)))]),
    );
    expect(Object.fromEntries(rated)).toEqual({ 4: false, 5: true, 8: false, 10: true });
  });

  test('after a validation in the middle of an epoch that is due, unless only the ends of epochs count', async () => {
    const fit = { epochs: 1, validateEvery: { steps: 3 } };
    expect(await reasons({}, fit)).toEqual(['3 validation', '5 every epoch']);
    expect(await reasons({ saveOnTrainEpochEnd: true }, fit)).toEqual(['5 every epoch']);
  });

  test('an epoch that is due waits for a validation where that is asked for', async () => {
    const fit = { epochs: 4, validateEvery: { epochs: 2 } };
    expect(await reasons({ saveOnTrainEpochEnd: false }, fit)).toEqual(['10 every epoch', '20 every epoch']);
    expect(await reasons({}, fit)).toHaveLength(4);
  });

  test('when a hook asks for it', async () => {
    const asking: Hook = {
      name: 'asking',
      onTrainBatchEnd: (ctx, { batchIndex }) => {
        if (batchIndex === 1) ctx.requestCheckpoint('I want one');
      },
    };
    expect(await reasons({ saveLast: false, monitor: 'val/loss' }, { epochs: 1 }, [asking])).toEqual([
      '2 I want one',
      '5 every epoch',
    ]);
  });

  test('when a signal or another stop ends the run in the middle of an epoch', async () => {
    expect(await reasons({}, {}, [stopAt(7)])).toEqual(['5 every epoch', '7 SIGINT']);
    expect(await reasons({ saveOnSignal: false }, {}, [stopAt(7)])).toEqual(['5 every epoch']);
    expect(await reasons({ saveOnSignal: false }, { maxSteps: 7 })).toEqual([
      '5 every epoch',
      '7 reached maxSteps (7)',
    ]);
  });

  test('when the run fails, if something was trained since the last one', async () => {
    const failing: Hook = {
      name: 'failing',
      onError: 'fail',
      onTrainBatchEnd: (ctx) => {
        if (ctx.state.step === 7) throw new Error('broken');
      },
    };
    const root = tempFolder();
    const saved: string[] = [];
    const listener: Hook = {
      name: 'listener',
      onCheckpointSave: (_ctx, { reason }) => void saved.push(reason),
    };
    await expect(run(root, { hooks: [listener, failing] })).rejects.toThrow('broken');
    expect(saved).toEqual(['every epoch', 'exception: broken']);
    const off = run(root, { hooks: [listener, failing], checkpoint: { saveOnException: false } });
    await expect(off).rejects.toThrow('broken');
    expect(saved).toHaveLength(3);
  });

  test('the events carry reason and path, and before the save everything that will be saved', async () => {
    const told: string[] = [];
    const listener: Hook = {
      name: 'listener',
      onBeforeCheckpointSave: (_ctx, { reason, path, snapshot }) => {
        told.push(
          `before ${reason} ${path.split('/').at(-1)} ${existsSync(path)} ${Object.keys(snapshot.model).length}`,
        );
      },
      onCheckpointSave: (_ctx, { reason, path }) => {
        told.push(`after ${reason} ${path.split('/').at(-1)} ${existsSync(join(path, 'manifest.json'))}`);
      },
    };
    await run(tempFolder(), { hooks: [listener], fit: { epochs: 1 } });
    expect(told).toEqual([
      'before every epoch epoch_1_step_5 false 4',
      'after every epoch epoch_1_step_5 true',
    ]);
  });
});

describe('the metric', () => {
  test('that is named and not there ends the run, after a checkpoint, with the names there are', async () => {
    const root = tempFolder();
    const failing = run(root, { checkpoint: { dir: join(root, 'c'), monitor: 'val/los' } });
    await expect(failing).rejects.toThrow(
      /"val\/los", but there is no such metric. Did you mean "val\/loss"\?/,
    );
    expect(contents(join(root, 'c')).checkpoints).toHaveLength(1);
  });

  test('of a validation is waited for until the run has validated', async () => {
    const outcome = await run(tempFolder(), {
      checkpoint: { monitor: 'val/loss', filename: '{epoch}', saveTopK: 1 },
      fit: { epochs: 3, validateEvery: { epochs: 2 } },
    });
    expect(outcome.warnings.join()).toContain('waiting for it');
    expect(contents(dirOf(outcome)).checkpoints).toEqual(['2', '3']);
  });

  test('that is not finite warns, stops or fails the run, as onNonFinite says', async () => {
    const options = (onNonFinite: 'ignore' | 'stop' | 'error'): RunOptions => ({
      hooks: [scripted('my/score', [1, Number.NaN, 3])],
      checkpoint: { ...SCORED, onNonFinite },
    });
    const ignored = await run(tempFolder(), options('ignore'));
    expect(ignored.result.status).toBe('completed');
    expect(ignored.warnings.join()).toContain('my/score is NaN');
    expect((await run(tempFolder(), options('stop'))).result.stopReason).toContain('my/score is NaN');
    await expect(run(tempFolder(), options('error'))).rejects.toThrow('my/score is NaN');
  });
});

test('weights that are not finite are not saved, and the last good checkpoint stays', async () => {
  const poison: Hook = {
    name: 'poison',
    onEpochStart: ({ state }, { epoch }) => {
      if (epoch === 1) state.parameters['out/bias']!.assign(tf.tensor1d([Number.NaN]));
    },
  };
  const outcome = await run(tempFolder(), { hooks: [poison] });
  expect(contents(dirOf(outcome)).checkpoints).toEqual(['epoch_1_step_5']);
  expect(outcome.warnings.join()).toMatch(
    /The weights are not finite and were not saved.*"hidden\/kernel" has NaN at 0/,
  );
  const unchecked = await run(tempFolder(), { hooks: [poison], checkpoint: { checkWeights: false } });
  expect(contents(dirOf(unchecked)).checkpoints).toHaveLength(3);
});

test('training gives the same bits with the hook and without', async () => {
  const without = await run(tempFolder(), { checkpoint: false });
  expect((await run(tempFolder(), { checkpoint: { every: { steps: 2 } } })).weights).toEqual(without.weights);
});

test('no tensor is left behind', async () => {
  const { trainer } = await run(tempFolder(), { checkpoint: { every: { steps: 1 } } });
  const fit = () => trainer.fit({ train: regression(20, 1), epochs: 1, batchSize: 4 });
  await fit();
  const before = tf.memory().numTensors;
  await fit();
  expect(tf.memory().numTensors).toBe(before);
});

test('a trainer without a folder saves no checkpoints, and says so when one is requested', async () => {
  const root = tempFolder();
  const asking: Hook = { name: 'asking', onEpochStart: (ctx) => ctx.requestCheckpoint('please') };
  const { warnings } = await run(root, { hooks: [asking], trainer: { runsDir: false }, fit: { epochs: 1 } });
  expect(contents(join(root, 'runs')).checkpoints).toEqual([]);
  expect(warnings.join()).toContain('the run has no folder to save it to. Set "dir" of the hook');
});

test('added in the middle of a run, it saves from then on', async () => {
  const root = tempFolder();
  const adder: Hook = {
    name: 'adder',
    onEpochStart: (_ctx, { epoch }) => {
      if (epoch === 1) adding.trainer!.addHook(checkpoint({ async: false, dir: join(root, 'c') }));
    },
  };
  const adding: { trainer?: Trainer } = {};
  await run(root, {
    hooks: [adder],
    checkpoint: false,
    onTrainer: (trainer) => {
      adding.trainer = trainer;
    },
  });
  expect(contents(join(root, 'c')).checkpoints).toEqual(['epoch_2_step_10', 'epoch_3_step_15']);
});

test('how long training waited is logged as a metric, and is not among the results', async () => {
  const seen: Record<string, number> = {};
  const watcher: Hook = { name: 'watcher', onLog: (_ctx, { values }) => void Object.assign(seen, values) };
  const { result } = await run(tempFolder(), { checkpoint: { every: { steps: 2 } }, hooks: [watcher] });
  expect(seen['checkpoint/stall_ms']).toBeGreaterThan(0);
  expect(seen['checkpoint/stall_pct']).toBeGreaterThan(0);
  expect(seen['checkpoint/stall_pct']).toBeLessThanOrEqual(100);
  expect(Object.keys(result.metrics)).toEqual(['train/loss', 'val/loss']);
});
