import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { readPointer } from '@hookline/safetensors/node';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { type CheckpointOptions, checkpoint } from '../src/index.js';
import { contents, dirOf, type Outcome, type RunOptions, run, saves, scripted, stopAt } from './fixture.js';

/** As a list of hooks makes them: the factory's hook under a name of the user's choice. */
function named(name: string, options: CheckpointOptions): Hook {
  return Object.defineProperty(checkpoint({ async: false, ...options }), 'name', { value: name });
}

const recent = (options: CheckpointOptions = {}) =>
  named('recent', { every: { steps: 2 }, saveTopK: 0, filename: '{step}', ...options });

/** With the usual hook, which saves every epoch, and a second one that keeps the newest of every second step. */
function train(root: string, options: RunOptions = {}, second: Hook = recent()): Promise<Outcome> {
  return run(root, {
    ...options,
    checkpoint: { filename: '{epoch}', ...options.checkpoint },
    hooks: [...(options.hooks ?? []), second],
  });
}

const foldersOf = ({ result }: Outcome) => ({
  usual: contents(join(result.runDir, 'checkpoints')).checkpoints,
  recent: contents(join(result.runDir, 'checkpoints-recent')).checkpoints,
});

test('two in one run save to a folder each, each at its own pace, and neither changes what the other keeps', async () => {
  const both = await train(tempFolder(), { fit: { epochs: 2 } });
  const alone = await run(tempFolder(), { checkpoint: { filename: '{epoch}' }, fit: { epochs: 2 } });
  expect(both.warnings).toEqual([]);
  expect(foldersOf(both)).toEqual({ usual: contents(dirOf(alone)).checkpoints, recent: ['10-v1'] });
  expect(both.weights).toEqual(alone.weights);
});

test('what one asks for by its own cadence is not saved by the other', async () => {
  const told = saves();
  const root = tempFolder();
  const { result } = await train(root, { hooks: [told], fit: { epochs: 2 } });
  const names = told.paths.map((path) => path.slice(result.runDir.length + 1)).sort();
  // The last one once more when the epoch is complete, as "end of training".
  expect(names).toEqual([
    ...['checkpoints-recent/10', 'checkpoints-recent/10-v1', 'checkpoints-recent/2', 'checkpoints-recent/4'],
    ...['checkpoints-recent/6', 'checkpoints-recent/8', 'checkpoints/1', 'checkpoints/2'],
  ]);
});

test('what another hook asks for, and what a signal ends, is saved by both', async () => {
  const asking: Hook = {
    name: 'asking',
    onTrainBatchEnd: (ctx) => {
      if (ctx.state.step === 3) ctx.requestCheckpoint('I want one');
    },
  };
  const told = saves();
  const second = recent({ every: { steps: 100 } });
  const outcome = await train(tempFolder(), { hooks: [told, asking, stopAt(7)] }, second);
  const names = told.paths.map((path) => path.slice(outcome.result.runDir.length + 1)).sort();
  expect(names).toEqual([
    ...['checkpoints-recent/3', 'checkpoints-recent/7'],
    ...['checkpoints/1', 'checkpoints/1-v1', 'checkpoints/2'],
  ]);
  expect(foldersOf(outcome).recent).toEqual(['7']);
  const quiet = recent({ every: { steps: 100 }, saveOnSignal: false });
  expect(foldersOf(await train(tempFolder(), { hooks: [stopAt(7)] }, quiet)).recent).toEqual([]);
});

test('what another hook asks for is saved by both also where one of them was due and asked first', async () => {
  // Steps 1 to 5 are an epoch; the usual hook keeps its best only, and epoch 3 is not among them.
  const asking: Hook = {
    name: 'asking',
    onEpochEnd: (ctx, { epoch }) => {
      if (epoch === 2) ctx.requestCheckpoint('I want one');
    },
  };
  const told = saves();
  const points = { monitor: 'my/points', mode: 'max', saveTopK: 1, saveLast: false } as const;
  const outcome = await train(
    tempFolder(),
    { hooks: [told, scripted('my/points', [1, 9, 2, 3]), asking], checkpoint: points, fit: { epochs: 4 } },
    recent({ every: { steps: 100 } }),
  );
  const names = told.paths.map((path) => path.slice(outcome.result.runDir.length + 1)).sort();
  expect(names).toEqual([
    'checkpoints-recent/15',
    'checkpoints-recent/20',
    'checkpoints/1',
    'checkpoints/2',
    'checkpoints/3',
  ]);
});

test('resume: "auto" takes the newest of both, and both continue in their folders', async () => {
  const whole = await train(tempFolder());
  const root = tempFolder();
  const first = await train(root, { hooks: [stopAt(7)], checkpoint: { saveOnSignal: false } });
  expect(foldersOf(first)).toEqual({ usual: ['1'], recent: ['7'] });
  const loaded: string[] = [];
  const listener: Hook = { name: 'listener', onCheckpointLoad: (_ctx, { path }) => void loaded.push(path) };
  const resumed = await train(root, {
    hooks: [listener],
    checkpoint: { saveOnSignal: false },
    fit: { resume: 'auto' },
  });
  expect(loaded).toEqual([join(first.result.runDir, 'checkpoints-recent', '7')]);
  expect(resumed.weights).toEqual(whole.weights);
  expect(foldersOf(resumed)).toEqual({ usual: [], recent: [] });
  expect(foldersOf(first)).toEqual({ usual: ['1', '2', '3'], recent: ['15', '7'] });
  expect(await readPointer(join(dirOf(first), 'best.json'))).toBe(
    await readPointer(join(dirOf(whole), 'best.json')),
  );
});

test('each has its own best, also when a run begins in new folders from a checkpoint of the other', async () => {
  const root = tempFolder();
  const points = { monitor: 'my/points', mode: 'max', saveTopK: 1, filename: '{epoch}' } as const;
  const hooks = () => [scripted('my/points', [1, 9, 2, 3])];
  const second = () => named('by-points', points);
  const first = await train(root, { hooks: hooks(), fit: { epochs: 3 } }, second());
  const own = join(first.result.runDir, 'checkpoints-by-points');
  expect(await readPointer(join(own, 'best.json'))).toBe('2');
  const resume = join(dirOf(first), '3');
  const next = await train(
    root,
    { hooks: [scripted('my/points', [3])], fit: { epochs: 4, resume } },
    second(),
  );
  const dir = join(next.result.runDir, 'checkpoints-by-points');
  expect(join(dir, (await readPointer(join(dir, 'best.json'))) as string)).toBe(join(own, '2'));
});

test('early stopping brings back the best weights from whichever checkpoint they are in', async () => {
  const stopping = () => earlyStopping({ patience: 100, restoreBest: 'checkpoint' });
  const inMemory = () => earlyStopping({ patience: 100, restoreBest: true });
  const kept = await train(tempFolder(), { hooks: [stopping()] });
  const expected = await train(tempFolder(), { hooks: [inMemory()] });
  expect(kept.weights).toEqual(expected.weights);
  expect(kept.said.filter(({ message }) => message.startsWith('Restored the weights'))).toHaveLength(1);
});

test('how long training waited is logged for each, and reasons and errors name the one they are about', async () => {
  const logged: Record<string, number> = {};
  const listener: Hook = {
    name: 'listener',
    onLog: (_ctx, { values }) => void Object.assign(logged, values),
  };
  await train(tempFolder(), { hooks: [listener] });
  expect(logged).toMatchObject({
    'checkpoint/stall_ms': expect.any(Number),
    'recent/stall_ms': expect.any(Number),
  });
  const stops = recent({ monitor: 'my/points', mode: 'max', onNonFinite: 'stop' });
  const stopped = await train(tempFolder(), { hooks: [scripted('my/points', [Number.NaN])] }, stops);
  expect(stopped.result.stopReason).toBe('recent: my/points is NaN: this checkpoint is not ranked by it.');
  const missing = train(tempFolder(), {}, recent({ monitor: 'val/los' }));
  await expect(missing).rejects.toThrow(/recent monitors "val\/los"/);
});

test('one that is removed saves no more, and the other is not disturbed', async () => {
  const root = tempFolder();
  const removing: { remove?: () => void } = {};
  const outcome = await train(root, {
    onTrainer: (trainer) => {
      removing.remove = () => trainer.removeHook('recent');
    },
    hooks: [
      {
        name: 'remover',
        onEpochStart: (ctx, { epoch }) => {
          if (epoch === 1) removing.remove!();
          if (epoch === 2) ctx.requestCheckpoint('by the user');
        },
      },
    ],
  });
  expect(outcome.warnings).toEqual([]);
  expect(foldersOf(outcome).recent).toEqual(['4']);
  // What the user asked for in the third epoch, and then its end.
  expect(foldersOf(outcome).usual).toContain('3-v1');
});

test('a request after the only one was removed is reported', async () => {
  const removing: { remove?: () => void } = {};
  const { warnings } = await run(tempFolder(), {
    onTrainer: (trainer) => {
      removing.remove = () => trainer.removeHook('checkpoint');
    },
    hooks: [
      {
        name: 'remover',
        onEpochStart: (ctx, { epoch }) => {
          if (epoch === 1) removing.remove!();
          if (epoch === 2) ctx.requestCheckpoint('by the user');
        },
      },
    ],
  });
  expect(warnings).toEqual([
    'A checkpoint was requested (by the user), but the hook that saves them was removed.',
  ]);
});

test('one with an unusual name has a folder that every file system can hold', async () => {
  const outcome = await train(
    tempFolder(),
    { fit: { epochs: 1 } },
    named('every: 2/steps?', { saveTopK: 1 }),
  );
  expect(contents(join(outcome.result.runDir, 'checkpoints-every- 2-steps-')).checkpoints).toHaveLength(1);
});

test('two with the same dir are refused before they train', async () => {
  const root = tempFolder();
  const dir = join(root, 'shared');
  let batches = 0;
  const counter: Hook = { name: 'counter', onTrainBatchStart: () => void batches++ };
  const failing = train(root, { checkpoint: { dir }, hooks: [counter] }, recent({ dir }));
  await expect(failing).rejects.toThrow(
    /Another run is saving its checkpoints in the same folder.*Choose another folder with "dir"/,
  );
  expect(batches).toBe(0);
});
