import { once } from 'node:events';
import { regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const MANY = 1_000_000;

/** Trains until somebody stops it from a timer or a signal. */
function endless() {
  const trainer = quietTrainer({ model: regressor() });
  let stop: (reason: string) => void = () => {};
  const started = new Promise<void>((resolve) => {
    trainer.addHook({
      name: 'remote',
      onTrainStart: (ctx) => {
        stop = ctx.stop;
        resolve();
      },
    });
  });
  return { trainer, started, stop: (reason: string) => stop(reason) };
}

test('timers fire while fit is running', async () => {
  const { trainer, started, stop } = endless();
  const running = trainer.fit({ train: regression(16), epochs: MANY });
  await started;
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks === 3) stop('a timer said so');
  }, 10);
  const { stopReason } = await running;
  clearInterval(timer);
  expect(stopReason).toBe('a timer said so');
  expect(ticks).toBeGreaterThanOrEqual(3);
});

test('signals arrive while fit is running', async () => {
  const { trainer, started, stop } = endless();
  const running = trainer.fit({ train: regression(16), epochs: MANY });
  await started;
  const arrived = once(process, 'SIGUSR2').then(() => stop('SIGUSR2'));
  process.kill(process.pid, 'SIGUSR2');
  expect((await running).stopReason).toBe('SIGUSR2');
  await arrived;
});

test('timers fire during validation and predict too', async () => {
  const trainer = await quietTrainer({ model: regressor() }).ready();
  const batch = () => ({ xs: tf.ones([8, 3]), ys: tf.ones([8, 1]) });
  for (const run of ['validate', 'predict'] as const) {
    let done = false;
    setTimeout(() => {
      done = true;
    }, 10);
    // Gives batches until the timer has fired: ends only if timers live.
    const data = function* () {
      while (!done) yield batch();
    };
    tf.dispose((await trainer[run]({ data })) as never);
    expect(done).toBe(true);
  }
});
