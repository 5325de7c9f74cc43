import { errorOf, regression, regressor, TEST_BACKEND, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

interface Failing {
  report(message: string): boolean;
  lose(info: { reason?: string; message: string }): void;
}

let device: Failing;

beforeEach(async () => {
  await useBackend();
  device = pretendDevice();
});
afterEach(() => {
  delete (tf.backend() as { device?: unknown }).device;
});

/** Gives the active backend a device like that of webgpu. A real one cannot be made to fail at will. */
function pretendDevice(): Failing {
  const listeners: ((event: object) => void)[] = [];
  let lose!: Failing['lose'];
  const lost = new Promise((resolve) => {
    lose = resolve;
  });
  const addEventListener = (_type: string, listener: (event: object) => void) => listeners.push(listener);
  Object.assign(tf.backend(), { device: { addEventListener, lost } });
  const report = (message: string) => {
    let isPrinted = true;
    const preventDefault = () => {
      isPrinted = false;
    };
    for (const listener of listeners) listener({ error: new Error(message), preventDefault });
    return isPrinted;
  };
  return { report, lose };
}

/** Trains, lets something happen after the first batch, and counts the batches that were trained. */
async function fit(happens: () => void): Promise<{ error: unknown; batches: number }> {
  let batches = 0;
  const onTrainBatchEnd = () => {
    if (batches++ === 0) happens();
  };
  const trainer = quietTrainer({
    model: regressor(),
    backend: TEST_BACKEND,
    hooks: [{ name: 'happens', onTrainBatchEnd }],
  });
  const run = trainer.fit({ train: regression(40), epochs: 1, batchSize: 4 });
  return {
    error: await run.then(
      () => undefined,
      (error: unknown) => error,
    ),
    batches,
  };
}

test('an operation that fails on the device ends the run at the next step, in plain words', async () => {
  let isPrinted = true;
  const { error, batches } = await fit(() => {
    isPrinted = device.report('Out of memory.\n - while calling CreateBuffer');
  });
  const { code, message } = await errorOf(Promise.reject(error));
  expect(code).toBe('DEVICE_ERROR');
  expect(message).toContain('numbers since then are wrong: Out of memory. The weights');
  expect(message).toContain('continue from the last checkpoint');
  expect(batches).toBeLessThan(4);
  expect(isPrinted).toBe(false);
});

test.each([
  ['the driver was reset.', 'The graphics device is gone: the driver was reset.'],
  ['', 'The graphics device is gone: it gave no reason.'],
])('a device that is lost ends the run: "%s"', async (reason, said) => {
  const { error, batches } = await fit(() => device.lose({ message: reason }));
  const { code, message } = await errorOf(Promise.reject(error));
  expect(code).toBe('DEVICE_LOST');
  expect(message).toContain(said);
  expect(batches).toBeLessThan(10);
});

test('a device that the program destroys is nobody else to blame for', async () => {
  const { error, batches } = await fit(() => device.lose({ reason: 'destroyed', message: 'by the program' }));
  expect({ error, batches }).toEqual({ error: undefined, batches: 10 });
});

test('what one run was told does not fail the next', async () => {
  expect((await fit(() => device.report('Once'))).error).toBeDefined();
  expect((await fit(() => {})).error).toBeUndefined();
});
