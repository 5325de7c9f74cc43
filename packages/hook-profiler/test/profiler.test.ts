import type { Hook } from '@hookline/hook-api';
import { readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { profiler } from '../src/index.js';
import { profiledRun, type TraceEvent } from './profiled-run.js';

const folder = folderPerTest();
useBackend();

test('the phases add up to the time of the run', async () => {
  const span = { start: 0, end: 0 };
  const clock: Hook = {
    name: 'clock',
    onInit() {
      span.start = performance.now();
    },
    onTrainEnd() {
      span.end = performance.now();
    },
  };
  const before = performance.now();
  const { profile } = await profiledRun(folder.path, {}, { hooks: [clock], fit: { validation: samples(4) } });
  const outside = (performance.now() - before) / 1000;
  const sum = profile.phases.reduce((total, { seconds }) => total + seconds, 0);
  expect(sum).toBeCloseTo(profile.seconds, 6);
  expect(profile.phases.reduce((total, { share }) => total + share, 0)).toBeCloseTo(1, 2);
  // What it counts holds all of training, and no more than what fit() took.
  expect(profile.seconds).toBeGreaterThan((span.end - span.start) / 1000);
  expect(profile.seconds).toBeLessThan(outside);
});

test('profile.json names phases, hooks with their events, garbage and the event loop', async () => {
  const own: Hook = { name: 'own', onTrainBatchEnd: () => {}, onEpochEnd: () => {} };
  const { profile, said } = await profiledRun(
    folder.path,
    {},
    { hooks: [own], fit: { validation: samples(4) } },
  );
  expect(profile).toMatchObject({ version: 1, steps: 8, verdict: expect.any(String) });
  expect(profile.phases.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['data', 'forward', 'backward', 'update', 'validation', 'hooks', 'other']),
  );
  expect(profile.hooks.map(({ name }) => name)).toEqual(expect.arrayContaining(['own', 'profiler']));
  const { events } = profile.hooks.find(({ name }) => name === 'own')!;
  expect(Object.keys(events).sort()).toEqual(['onEpochEnd', 'onTrainBatchEnd']);
  expect(profile.garbageCollection.count).toBeGreaterThanOrEqual(0);
  expect(profile.eventLoopDelayMs.max).toBeGreaterThanOrEqual(profile.eventLoopDelayMs.mean);
  expect(profile.kernels).toBeUndefined();
  expect(said).toHaveLength(1);
  expect(said[0]!.startsWith(profile.verdict)).toBe(true);
});

test('the trace holds the steps that were asked for, each with its phases inside', async () => {
  const { trace } = await profiledRun(folder.path, { skip: 2, steps: 3, kernels: true });
  const spans = trace!.traceEvents.filter(({ ph }) => ph === 'X');
  const steps = spans.filter(({ cat }) => cat === 'step');
  expect(steps.map(({ name }) => name)).toEqual(['step 3', 'step 4', 'step 5']);
  const within = (inner: TraceEvent, outer: TraceEvent) =>
    inner.ts >= outer.ts && inner.ts + inner.dur! <= outer.ts + outer.dur!;
  const phases = spans.filter(({ cat }) => !['step', 'kernel', 'gc'].includes(cat!));
  expect(phases.every((phase) => steps.some((step) => within(phase, step)))).toBe(true);
  // One span ends exactly where the next begins: readers take an overlap for nesting.
  expect(phases.slice(1).map(({ ts }) => ts)).toEqual(phases.slice(0, -1).map(({ ts, dur }) => ts + dur!));
  const kernels = spans.filter(({ cat }) => cat === 'kernel');
  expect(kernels.length).toBeGreaterThan(10);
  expect(kernels.every((kernel) => phases.some((phase) => within(kernel, phase)))).toBe(true);
});

test('without traced steps there is no trace', async () => {
  const { trace, profile } = await profiledRun(folder.path, { steps: 0 });
  expect(trace).toBeUndefined();
  expect(profile.steps).toBe(8);
});

test('kernels are timed on request, leave the bits as they are, and are put back', async () => {
  const stock = tf.getKernelsForBackend('cpu').map(({ kernelFunc }) => kernelFunc);
  const plain = await profiledRun(folder.path);
  const watched = await profiledRun(folder.path, { kernels: true });
  expect(watched.profile.kernels!.map(({ name }) => name)).toContain('_FusedMatMul');
  expect(watched.profile.kernels!.every(({ calls, seconds }) => calls > 0 && seconds >= 0)).toBe(true);
  expect(await watched.weights()).toEqual(await plain.weights());
  expect(new Set(tf.getKernelsForBackend('cpu').map(({ kernelFunc }) => kernelFunc))).toEqual(new Set(stock));
});

test('kernels are put back after a run that fails, and the profile is still written', async () => {
  const stock = new Set(tf.getKernelsForBackend('cpu').map(({ kernelFunc }) => kernelFunc));
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onTrainBatchEnd(_ctx, { batchIndex }) {
      if (batchIndex === 2) throw new Error('broken');
    },
  };
  const { failure, profile } = await profiledRun(folder.path, { kernels: true }, { hooks: [failing] });
  expect(failure).toMatchObject({ message: 'broken' });
  expect(profile.steps).toBe(3);
  expect(new Set(tf.getKernelsForBackend('cpu').map(({ kernelFunc }) => kernelFunc))).toEqual(stock);
});

test('nothing is read from the device for it', async () => {
  expect(await readsPerBatch([profiler()], 4)).toEqual(await readsPerBatch([], 4));
});

test('a run without a folder gets its verdict all the same', async () => {
  const { trainer, logged, complaints } = tinyRun([profiler()]);
  await trainer.fit({ train: samples(16), epochs: 1, batchSize: 4 });
  expect(complaints).toEqual([]);
  const said = logged.filter(({ fields }) => fields.hook === 'profiler');
  expect(said.map(({ level }) => level)).toEqual(['info']);
});
