import { errorOf } from '@hookline/test-support';
import { beforeEach, describe, expect, test } from 'vitest';
import { CaptureStore, type Stored, type StoreLimits } from '../../src/capture/capture-store.js';

interface Entry extends Stored {
  readonly name: string;
}

/** The names of entries that were disposed, in order. */
const disposed: string[] = [];
beforeEach(() => void disposed.splice(0));

function storeWith(limits: Partial<StoreLimits> = {}) {
  const store = new CaptureStore<Entry>({ maxStates: 10, maxBytes: 100, ...limits });
  let made = 0;
  return {
    store,
    made: () => made,
    add(hook: string, name: string, bytes = 10, storedAt = 0): void {
      store.add(hook, `layer of ${name}`, bytes, () => {
        made++;
        return { name, path: name, bytes, storedAt, dispose: () => void disposed.push(name) };
      });
    },
  };
}

const names = (entries: readonly Entry[]): string[] => entries.map(({ name }) => name);

describe('the memory of captured states', () => {
  test('holds the newest few of each hook, whatever the others hold', () => {
    const { store, add } = storeWith({ maxStates: 2 });
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    add('b', 'b1');
    expect(names(store.get('a'))).toEqual(['a2', 'a3']);
    expect(names(store.get('b'))).toEqual(['b1']);
    expect(disposed).toEqual(['a1']);
    expect(store.bytes).toBe(30);
  });

  test('drops the oldest of all hooks to make room, before the new one is made', () => {
    const { store, add, made } = storeWith({ maxBytes: 30 });
    add('a', 'a1');
    add('b', 'b1');
    add('a', 'a2');
    store.add('b', 'layer', 25, () => {
      // Room was made first: at no moment is there more than the limit.
      expect(store.bytes).toBe(0);
      return { name: 'b2', path: 'b2', bytes: 25, storedAt: 0, dispose: () => {} };
    });
    expect(disposed).toEqual(['a1', 'b1', 'a2']);
    expect(names(store.all())).toEqual(['b2']);
    expect(made()).toBe(3);
  });

  test('fills up to the limit exactly', () => {
    const { store, add } = storeWith({ maxBytes: 30 });
    for (const name of ['1', '2', '3']) add('a', name);
    expect([store.bytes, disposed]).toEqual([30, []]);
    add('a', '4');
    expect([store.bytes, disposed]).toEqual([30, ['1']]);
  });

  test('refuses what would never fit, keeps what it has, and says what to do', async () => {
    const { store, add } = storeWith({ maxBytes: 2 ** 20 });
    add('a', 'small');
    const error = await errorOf(() => add('a', 'huge', 3 * 2 ** 20));
    expect(error.code).toBe('STATE_TOO_LARGE');
    expect(error.message).toBe(
      'One state of "layer of huge" for capture hook "a" takes 3.0 MB, and memoryLimitMb allows 1.0 MB for all. ' +
        "Raise it, capture only inputs or only outputs, or use store: 'statistics'.",
    );
    expect(names(store.all())).toEqual(['small']);
  });

  test('a state that cannot be made costs nothing', () => {
    const { store } = storeWith();
    expect(() =>
      store.add('a', 'layer', 50, () => {
        throw new Error('no memory');
      }),
    ).toThrow('no memory');
    expect([store.bytes, store.all(), store.get('a')]).toEqual([0, [], []]);
  });

  test('forgets one hook, or all, and disposes each state once', () => {
    const { store, add } = storeWith();
    add('a', 'a1');
    add('b', 'b1');
    add('a', 'a2');
    store.clear('a');
    expect([disposed, names(store.all()), store.bytes]).toEqual([['a1', 'a2'], ['b1'], 10]);
    store.clear('a');
    store.clear('never seen');
    store.clearAll();
    expect([disposed, store.bytes]).toEqual([['a1', 'a2', 'b1'], 0]);
  });

  test('drops what is older than a pass', () => {
    const { store, add } = storeWith();
    for (const pass of [1, 2, 3, 4]) add('a', `pass ${pass}`, 10, pass);
    store.dropBefore(3);
    expect(names(store.get('a'))).toEqual(['pass 3', 'pass 4']);
    expect(store.bytes).toBe(20);
  });

  test('thousands of states of all sizes never exceed either limit, and the books stay right', () => {
    const { store, add } = storeWith({ maxBytes: 997, maxStates: 7 });
    for (let i = 0; i < 5000; i++) {
      add(`hook ${i % 3}`, `${i}`, 1 + ((i * 7919) % 311));
      expect(store.bytes).toBeLessThanOrEqual(997);
      expect(store.get(`hook ${i % 3}`).length).toBeLessThanOrEqual(7);
    }
    expect(store.all().reduce((sum, { bytes }) => sum + bytes, 0)).toBe(store.bytes);
    expect(new Set(disposed).size).toBe(disposed.length);
    expect(disposed.length + store.all().length).toBe(5000);
  });
});
