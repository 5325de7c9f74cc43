import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { HookContext, SharedMap } from '@hookline/hook-api';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GpuWatch } from '../../src/host/gpu-watch.js';
import { type LogRecord, logHook } from '../../src/index.js';
import { meterOf, RunMeter } from '../../src/measure/run-meter.js';

const folder = folderPerTest();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Trains so many batches of 8 samples; two backends tell the meter of each. */
function train(meter: RunMeter, { batches, ms, from = 0 }: { batches: number; ms: number; from?: number }) {
  const xs = tf.zeros([8, 2]);
  for (let batchIndex = from; batchIndex < from + batches; batchIndex++) {
    const state = { epoch: 0, batchIndex, step: batchIndex };
    for (const _backend of [1, 2]) meter.startBatch(state, { xs });
    vi.advanceTimersByTime(ms);
  }
  xs.dispose();
  return { epoch: 0, batchIndex: from + batches - 1, step: from + batches };
}

function started(): RunMeter {
  const meter = new RunMeter();
  const state = { epoch: 0, batchIndex: 0, step: 0 };
  for (const _backend of [1, 2]) {
    meter.start(state);
    meter.startEpoch(state);
  }
  return meter;
}

test('speed is that of the last one to two seconds, however many backends there are', () => {
  const meter = started();
  const first = meter.batch(train(meter, { batches: 10, ms: 50 }));
  expect(first).toMatchObject({
    batchesPerSecond: 20,
    system: { 'speed/steps-per-second': 20, 'speed/samples-per-second': 160 },
  });
  train(meter, { batches: 100, ms: 100, from: 10 });
  const later = meter.batch(train(meter, { batches: 1, ms: 100, from: 110 }));
  expect(later.batchesPerSecond).toBeCloseTo(10, 6);
});

test('validation does not count in the speed, but in the time of the epoch', () => {
  const meter = started();
  const state = train(meter, { batches: 20, ms: 100 });
  for (const _backend of [1, 2]) meter.pause();
  vi.advanceTimersByTime(60_000);
  for (const _backend of [1, 2]) meter.resume();
  const { seconds, system } = meter.epoch(state);
  expect(seconds).toBe(62);
  expect(system).toMatchObject({ 'time/epoch-seconds': 62, 'speed/steps-per-second': 10 });
  expect(meter.batch(train(meter, { batches: 5, ms: 100, from: 20 })).batchesPerSecond).toBeCloseTo(10, 6);
  // The next backend asks a moment later, and gets the same.
  expect(meter.epoch(state).seconds).toBe(62);
});

test('memory is that of the process and of the tensors', () => {
  const kept = tf.zeros([2 ** 18]);
  const { system } = new RunMeter().batch({ epoch: 0, batchIndex: 0, step: 1 });
  const { numTensors, numBytes } = tf.memory();
  expect(system['memory/tensors']).toBe(numTensors);
  expect(system['memory/tensor-mib']).toBeCloseTo(numBytes / 2 ** 20, 3);
  expect(system['memory/tensor-mib']).toBeGreaterThanOrEqual(1);
  expect(system['memory/rss-mib']).toBeGreaterThan(10);
  kept.dispose();
});

test('the memory of the process is asked for at most four times a second', () => {
  const asked = vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(2 ** 30);
  const meter = started();
  for (let step = 0; step < 10; step++) {
    expect(meter.batch(train(meter, { batches: 1, ms: 50, from: step })).system['memory/rss-mib']).toBe(1024);
  }
  expect(asked).toHaveBeenCalledTimes(2); // at 50 and 300 of 500 ms
  asked.mockRestore();
});

test('everything is measured once for all backends of a run, and again for the next run', async () => {
  const systems: Record<string, LogRecord[]> = { a: [], b: [] };
  const meters = new Set<RunMeter>();
  const backends = ['a', 'b'].map((name) => {
    const open = ({ ctx }: { ctx: HookContext }) => void meters.add(meterOf(ctx));
    const write = (record: LogRecord) => void (record.event === 'batch' && systems[name]!.push(record));
    return logHook(name, () => ({ open, write, close: () => {} }), { every: 1 });
  });
  const { trainer } = tinyRun(backends);
  await trainer.fit({ train: samples(8), epochs: 2, batchSize: 2 });
  expect(systems.a).toHaveLength(8);
  // Not only equal: the same object.
  const systemsOf = (name: string) => systems[name]!.map((record) => (record as { system?: object }).system);
  expect(systemsOf('a').every((system, index) => system === systemsOf('b')[index])).toBe(true);
  await trainer.fit({ train: samples(8), epochs: 1, batchSize: 2 });
  expect(meters.size).toBe(2);
});

test('the meter of a run is found through what its hooks share', () => {
  const values = new Map<string, unknown>();
  const shared = {
    get: (key: { name: string }) => values.get(key.name),
    set: (key: { name: string }, value: unknown) => void values.set(key.name, value),
  } as unknown as SharedMap;
  const ctx = { shared } as HookContext;
  expect(meterOf(ctx)).toBe(meterOf(ctx));
});

/** Puts a command of this name into a folder that is the whole PATH. */
async function fakeCommand(script: string): Promise<void> {
  await mkdir(folder.in('bin'));
  await writeFile(
    folder.in('bin/nvidia-smi'),
    `#!/bin/sh\necho called >> ${folder.in('calls')}\n${script}\n`,
  );
  await chmod(folder.in('bin/nvidia-smi'), 0o755);
  vi.stubEnv('PATH', folder.in('bin'));
}
const calls = async () => (await readFile(folder.in('calls'), 'utf8')).trim().split('\n').length;
const moment = () => new Promise((resolve) => setTimeout(resolve, 5));

test('graphics cards are asked in the background, seldom, and their latest answer is used', async () => {
  await fakeCommand('echo "0, 45, 1024"; echo "1, [N/A], 2048"');
  const watch = new GpuWatch();
  expect(watch.latest()).toEqual({});
  while (Object.keys(watch.latest()).length === 0) await moment();
  expect(watch.latest()).toEqual({
    'gpu/0/utilization': 45,
    'gpu/0/memory-mib': 1024,
    'gpu/1/memory-mib': 2048,
  });
  for (let i = 0; i < 100; i++) watch.latest();
  await moment();
  expect(await calls()).toBe(1);
  vi.advanceTimersByTime(10_000);
  watch.latest();
  while ((await calls()) < 2) await moment();
});

test('where there is no nvidia-smi, or it fails, there are no numbers, and it is not asked again', async () => {
  vi.stubEnv('PATH', folder.path);
  const started: unknown[] = [];
  const note = (process: unknown) => void started.push(process);
  subscribe('child_process', note);
  const absent = new GpuWatch();
  absent.latest();
  await moment();
  expect(absent.latest()).toEqual({});
  unsubscribe('child_process', note);
  expect(started).toEqual([]); // to start one that is not there takes time, too

  vi.unstubAllEnvs();
  await fakeCommand('exit 9');
  const failing = new GpuWatch();
  failing.latest();
  while ((await calls().catch(() => 0)) < 1) await moment();
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    vi.advanceTimersByTime(20_000);
    expect(failing.latest()).toEqual({});
  }
  expect(await calls()).toBe(1);
});
