import type { Batch } from '@hookline/hook-api';
import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Data, DataLoader } from '../../src/index.js';
import { feedOf } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const batch = (): Batch => ({ xs: tf.ones([2, 3]), ys: tf.zeros([2, 1]) });

/** Reads an epoch as a training run does, one step for each batch. A step may leave the epoch. */
async function run(
  data: Data,
  step: (batch: Batch, index: number, loader: string) => unknown = () => {},
): Promise<void> {
  for await (const { batch, batchIndex, loaderName, owned } of feedOf(data).epoch(0)) {
    const outcome = await step(batch, batchIndex, loaderName);
    if (owned) tf.dispose(batch as never);
    if (outcome === 'leave') return;
  }
}

/** What happened, in order: `ask 0`, `give 0`, `step 0`, ... */
async function happenings(make: (events: string[]) => Data): Promise<string[]> {
  const events: string[] = [];
  await run(make(events), async (_batch, index) => {
    events.push(`step ${index}`);
    await new Promise(setImmediate);
    events.push(`done ${index}`);
  });
  return events;
}

function source(events: string[]): () => AsyncGenerator<Batch, void> {
  return async function* () {
    for (let i = 0; i < 3; i++) {
      events.push(`ask ${i}`);
      await Promise.resolve();
      events.push(`give ${i}`);
      yield batch();
    }
    events.push('end');
  };
}

/** Whether one event came before the other. */
const before = (events: string[], one: string, other: string) => {
  expect(events).toContain(one);
  expect(events).toContain(other);
  return events.indexOf(one) < events.indexOf(other);
};

describe('the next batch is begun before the step', () => {
  test('by default where batches are awaited', async () => {
    const events = await happenings((list) => source(list));
    expect(before(events, 'ask 1', 'step 0')).toBe(true);
    expect(before(events, 'ask 2', 'step 0')).toBe(false);
    expect(before(events, 'ask 2', 'step 1')).toBe(true);
    expect(before(events, 'end', 'step 2')).toBe(true);
  });

  test('and several where that is asked for', async () => {
    const events = await happenings((list) => new DataLoader(source(list), { prefetch: 2 }));
    expect(before(events, 'ask 1', 'step 0')).toBe(true);
    expect(before(events, 'give 2', 'step 1')).toBe(true);
  });

  test('not with prefetch: 0, nor by default where nothing is awaited', async () => {
    const off = await happenings((list) => new DataLoader(source(list), { prefetch: 0 }));
    expect(before(off, 'done 0', 'ask 1')).toBe(true);
    const sync = await happenings(
      (list) =>
        function* () {
          for (let i = 0; i < 3; i++) {
            list.push(`ask ${i}`);
            yield batch();
          }
        },
    );
    expect(before(sync, 'done 0', 'ask 1')).toBe(true);
  });

  test('also for a loader you wrote yourself, samples by number and a tf.data dataset', async () => {
    const own = await happenings((list) => ({ name: 'own', batches: 3, owned: true, epoch: source(list) }));
    expect(before(own, 'ask 1', 'step 0')).toBe(true);

    const samples = await happenings((list) => {
      const at = async (index: number) => {
        list.push(`ask ${index}`);
        return { xs: [1, 2, 3], ys: [1] };
      };
      return new DataLoader({ length: 3, at }, { samples: true, batchSize: 1, shuffle: false });
    });
    expect(before(samples, 'ask 1', 'step 0')).toBe(true);

    const dataset = await happenings((list) => ({
      iterator: async () => source(list)(),
      forEachAsync: async () => {},
    }));
    expect(before(dataset, 'ask 1', 'step 0')).toBe(true);
  });

  test('of each loader, where they take turns', async () => {
    const events: string[] = [];
    const named = (name: string) =>
      async function* () {
        for (let i = 0; i < 2; i++) {
          events.push(`ask ${name}${i}`);
          yield batch();
        }
      };
    await run({ a: named('a'), b: named('b') }, async (_batch, index, loader) => {
      events.push(`step ${index} ${loader}`);
      await new Promise(setImmediate);
    });
    expect(before(events, 'ask a1', 'step 0 a')).toBe(true);
    expect(before(events, 'ask b0', 'step 1 a')).toBe(false);
    expect(before(events, 'ask b1', 'step 2 b')).toBe(true);
  });
});

test('a source may use one buffer for all of its batches: it is read before the next is asked for', async () => {
  const buffer = { xs: new Float32Array(3), ys: new Float32Array(1) };
  const reuse = async function* () {
    for (let i = 0; i < 5; i++) {
      buffer.xs.fill(i);
      yield buffer;
    }
  };
  for (const prefetch of [0, 1, 3]) {
    const seen: number[] = [];
    const loader = new DataLoader(reuse, { prefetch, shapes: { xs: [3], ys: [1] } });
    await run(loader, async ({ xs }) => {
      await new Promise(setImmediate);
      seen.push((xs as tf.Tensor).dataSync()[0]!);
    });
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  }
});

test('a source is asked for one batch at a time, and for none after the last', async () => {
  let [asked, busy, most] = [0, 0, 0];
  const iterator = {
    next: async () => {
      most = Math.max(most, ++busy);
      await new Promise(setImmediate);
      busy--;
      return asked++ < 3
        ? { value: batch(), done: false as const }
        : { value: undefined, done: true as const };
    },
  };
  const epoch = () => ({ [Symbol.asyncIterator]: () => iterator });
  await run({ name: 'own', batches: 3, owned: true, prefetch: 4, epoch });
  expect(most).toBe(1);
  expect(asked).toBe(4);
});

describe('what was read ahead is not lost', () => {
  test('leaving an epoch closes the source and disposes it', async () => {
    for (const prefetch of [0, 1, 4]) {
      const given: Batch[] = [];
      let closed = false;
      const endless = async function* () {
        try {
          for (;;) {
            given.push(batch());
            yield given.at(-1)!;
          }
        } finally {
          closed = true;
        }
      };
      await run(new DataLoader(endless, { prefetch }), (_batch, index) =>
        index === 2 ? 'leave' : undefined,
      );
      expect(closed).toBe(true);
      expect(given.length).toBeGreaterThanOrEqual(3 + Math.min(prefetch, 1));
      expect(given.every(({ xs, ys }) => (xs as tf.Tensor).isDisposed && (ys as tf.Tensor).isDisposed)).toBe(
        true,
      );
    }
  });

  test('an iterator you wrote yourself is closed, even while it is asked', async () => {
    const calls: string[] = [];
    const given: Batch[] = [];
    const iterator = {
      next: async () => {
        calls.push('next');
        await new Promise(setImmediate);
        given.push(batch());
        return { value: given.at(-1)!, done: false as const };
      },
      return: async () => {
        calls.push('return');
        return { value: undefined, done: true as const };
      },
    };
    await run(
      () => ({ [Symbol.asyncIterator]: () => iterator }),
      () => 'leave',
    );
    expect(calls).toEqual(['next', 'next', 'return']);
    expect(given.every(({ xs }) => (xs as tf.Tensor).isDisposed)).toBe(true);
  });

  test('an error that comes early waits for its turn: the batches before it are used', async () => {
    const failing = async function* () {
      yield batch();
      yield batch();
      throw new Error('the disk is gone');
    };
    const done: number[] = [];
    const error = await errorOf(
      run(new DataLoader(failing, { prefetch: 3 }), async (_batch, index) => {
        await new Promise((resolve) => setTimeout(resolve, 5)); // long enough to count as unhandled
        done.push(index);
      }),
    );
    expect(done).toEqual([0, 1]);
    expect(error.message).toContain('the disk is gone');
  });
});
