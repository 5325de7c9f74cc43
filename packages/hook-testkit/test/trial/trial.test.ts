import { existsSync, readdirSync } from 'node:fs';
import type { Hook, HookContext } from '@hookline/hook-api';
import { folderPerTest } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { trial } from '../../src/trial/trial.js';
import { withoutHook } from '../../src/trial/without-hook.js';
import { steadyHook } from '../steady.js';

const folder = folderPerTest();

test('two trials are the same to the bit, and leave nothing behind', async () => {
  const [one, two] = [await trial([]), await trial([])];
  expect(one.weights).toEqual(two.weights);
  expect(one.history).toEqual(two.history);
  expect([one.leftTensors, one.error, one.failures]).toEqual([0, undefined, {}]);
  expect(one.history).toHaveLength(2);
  expect(one.weights.length).toBe(2 * 4 + 4 + 4 + 1);
});

test('what hooks log is kept by scope, step and name, and what they would save by hook', async () => {
  const { series, states } = await trial([steadyHook()]);
  expect(
    Object.keys(series)
      .filter((key) => key.includes('steady/loss'))
      .slice(0, 2),
  ).toEqual(['step 1: steady/loss', 'step 2: steady/loss']);
  expect(states.steady).toEqual({ json: { state: { average: expect.any(Number) } }, tensors: [] });
});

test('tensors in a state are kept by value', async () => {
  const sum = tf.tensor1d([1, 2]);
  const hook: Hook = { name: 'sums', saveState: () => ({ json: 1, tensors: { sum } }), loadState() {} };
  const { states } = await trial([hook]);
  expect(JSON.stringify(states.sums)).toContain('[1,2]');
  sum.dispose();
});

test('what a hook throws is kept under its name, with event and step', async () => {
  const throws: Hook = {
    name: 'throws',
    onEpochEnd() {
      throw new Error('no');
    },
  };
  const { failures, error } = await trial([throws]);
  expect(failures).toEqual({
    throws: [
      'Hook "throws" failed in onEpochEnd at step 3: no',
      'Hook "throws" failed in onEpochEnd at step 6: no',
    ],
  });
  expect(error).toBeUndefined();
});

test('a stop and its reason, and what ends the run, are kept', async () => {
  const stops: Hook = { name: 'stops', onEpochEnd: (ctx: HookContext) => ctx.stop('enough') };
  expect(await trial([stops])).toMatchObject({ stopReason: 'enough', history: [{}] });
  const work = () => Promise.reject(new Error('no data'));
  expect((await trial([], { work })).error).toEqual(new Error('no data'));
});

test('tensors that a hook leaves are counted', async () => {
  let left: tf.Tensor | undefined;
  const leaves: Hook = {
    name: 'leaves',
    onTrainEnd() {
      left = tf.scalar(1);
    },
  };
  expect((await trial([leaves])).leftTensors).toBe(1);
  left?.dispose();
});

test('a hook that writes has a folder, which is gone afterwards; a given one is kept', async () => {
  let dir: string | undefined;
  const writes: Hook = {
    name: 'writes',
    writes: true,
    onTrainStart(ctx) {
      dir = ctx.run.dir;
    },
  };
  await trial([writes]);
  expect(dir).toBeDefined();
  expect(existsSync(dir!)).toBe(false);
  await trial([writes], { runsDir: folder.path });
  expect(readdirSync(folder.path)).toHaveLength(1);
  await trial([{ ...writes, writes: false }]);
  expect(dir).toBeUndefined();
});

test('a hook that offers checkpoints is seen', async () => {
  const offers: Hook = {
    name: 'offers',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => undefined,
        load: async () => ({}) as never,
        save: async () => {},
      }),
  };
  expect((await trial([offers])).seen.checkpoints).toBe(true);
  expect((await trial([])).seen.checkpoints).toBe(false);
});

test('the run without a hook is made once for each set of neighbours', () => {
  const neighbour: Hook = { name: 'neighbour' };
  expect(withoutHook()).toBe(withoutHook());
  expect(withoutHook([neighbour])).toBe(withoutHook([{ name: 'neighbour' }]));
  expect(withoutHook([neighbour])).not.toBe(withoutHook());
});
