import type { Hook } from '@hookline/hook-api';
import { samples } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Finding } from '../src/index.js';
import { findingsOf, verdictOf } from '../src/verdict.js';
import { type ProfiledRun, profiledRun } from './profiled-run.js';

const folder = folderPerTest();

// The clock stands still but for what is slow, so that a busy machine changes nothing.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());
const pass = () => void vi.advanceTimersByTime(40);

/** Without the garbage of the tests that share this process, which may be collected at any moment. */
function ownFindings({ profile }: ProfiledRun): Finding[] {
  return profile.findings.filter(({ name }) => name !== profile.garbageCollection.name);
}

const overhead = (run: ProfiledRun) => ownFindings(run).find(({ isOverhead }) => isOverhead)?.name;
const verdict = (run: ProfiledRun) => verdictOf(ownFindings(run), 8);

test('a loader that sleeps is blamed', async () => {
  async function* sleepy() {
    for (let batch = 0; batch < 4; batch++) {
      pass();
      yield samples(4);
    }
  }
  const run = await profiledRun(folder.path, {}, { fit: { train: sleepy } });
  expect(overhead(run)).toBe('data');
  expect(run.profile.verdict).toBe(verdictOf(run.profile.findings, 8));
  expect(verdict(run)).toMatch(/^\d+ % of a step is waiting for data: raise prefetch or read in a worker\.$/);
});

test('a hook that burns time is blamed by its name, with the event', async () => {
  const slow: Hook = { name: 'slow', onTrainBatchEnd: () => pass() };
  const run = await profiledRun(folder.path, {}, { hooks: [slow] });
  expect(overhead(run)).toBe('slow');
  expect(verdict(run)).toMatch(/^\d+ % of the run is hook "slow", mostly in onTrainBatchEnd: /);
});

test('a transform that burns time is blamed by its name', async () => {
  const slow: Hook = { name: 'augment', transformBatch: () => pass() };
  const run = await profiledRun(folder.path, {}, { hooks: [slow] });
  expect(verdict(run)).toContain('hook "augment", mostly in transformBatch');
  expect(run.profile.phases[0]!.name).toBe('transform');
});

test('a model that is slow in its forward pass is blamed', async () => {
  const weight = tf.variable(tf.scalar(0));
  const model = {
    parameters: () => ({ weight }),
    forward: (xs: unknown) => {
      pass();
      return tf.mul(tf.sum(xs as tf.Tensor, 1, true), weight);
    },
  };
  const run = await profiledRun(folder.path, {}, { trainer: { model } });
  weight.dispose();
  expect(run.profile.phases[0]!.name).toBe('forward');
  expect(verdict(run)).toMatch(/^\d+ % of a step is the forward pass: this is the model itself/);
});

test('slow checkpoints are blamed', async () => {
  const saves: Hook = {
    name: 'saves',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => undefined,
        load: async () => ({ version: 1, model: {} }),
        save: async () => pass(),
      }),
    onTrainBatchEnd: (ctx) => ctx.requestCheckpoint('now'),
  };
  const run = await profiledRun(folder.path, {}, { hooks: [saves] });
  expect(overhead(run)).toBe('checkpoint');
  expect(verdict(run)).toMatch(/^\d+ % of the run is saving checkpoints: /);
});

test('a slow validation is blamed', async () => {
  async function* sleepy() {
    for (let batch = 0; batch < 4; batch++) {
      pass();
      yield samples(4);
    }
  }
  const run = await profiledRun(folder.path, {}, { fit: { validation: sleepy } });
  expect(overhead(run)).toBe('validation');
  expect(verdict(run)).toMatch(/of the run is validation: set validateEvery or limitValBatches\.$/);
});

const garbageCollection = { name: 'garbage collection', seconds: 0, share: 0, count: 0, longestMs: 0 };

test('overhead comes first where it is considerable, otherwise what takes longest', () => {
  const verdictAt = (data: number) => {
    const phases = [
      { name: 'backward', seconds: 1 - data, share: 1 - data },
      { name: 'data', seconds: data, share: data },
    ];
    return verdictOf(findingsOf({ phases, hooks: [], garbageCollection, kernels: undefined }), 8);
  };
  expect(verdictAt(0.3)).toMatch('30 % of a step is waiting for data');
  expect(verdictAt(0.1)).toMatch('90 % of a step is the backward pass');
});

test('garbage collection and kernels are named', () => {
  const phases = [{ name: 'forward', seconds: 1, share: 1 }];
  const kernels = [{ name: 'Conv2D', seconds: 0.7, share: 0.7, calls: 10 }];
  const parts = { phases, hooks: [], kernels, garbageCollection };
  expect(verdictOf(findingsOf(parts), 8)).toContain('the longest kernel is Conv2D');
  const collecting = { ...parts, garbageCollection: { ...garbageCollection, seconds: 0.4, share: 0.4 } };
  expect(verdictOf(findingsOf(collecting), 8)).toMatch('40 % of the run is garbage collection');
});

test('a run without a step has no verdict', () => {
  expect(verdictOf([], 0)).toBe('No step was trained, so there is nothing to say about its time.');
});
