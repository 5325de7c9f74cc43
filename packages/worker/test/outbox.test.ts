import { expect, test, vi } from 'vitest';
import type { EventMessage } from '../src/messages.js';
import { Outbox } from '../src/worker/outbox.js';

const state = {} as EventMessage['state'];
const event: EventMessage = { event: 'onStepEnd', payload: {}, withheld: [], copies: {}, state };

test('events beyond a bound are not even built while the main side is busy, and are again when it has caught up', () => {
  const sent: { events: EventMessage[]; leftOut: number }[] = [];
  const outbox = new Outbox({ post: (message) => void sent.push(message as never) });
  const offer = (count: number) => {
    for (let i = 0; i < count; i++) if (outbox.hasRoom('batch', () => `step ${i}`)) outbox.add(event);
  };
  offer(10_000);
  outbox.flush();
  const arrived = () => sent.reduce((sum, { events }) => sum + events.length, 0);
  expect(arrived()).toBe(4096);
  expect(Math.max(...sent.map(({ events }) => events.length))).toBeLessThanOrEqual(256);
  expect(outbox.hasRoom('epoch', () => '')).toBe(true);

  outbox.answered(96);
  offer(200);
  outbox.flush();
  expect(arrived()).toBe(4096 + 96);
  expect(sent.at(-1)!.leftOut).toBe(10_000 - 4096 + 200 - 96);
});

test('copies of tensors count by their bytes', () => {
  const outbox = new Outbox({ post() {} });
  const data = new Float32Array(2 ** 24);
  const copies = {
    gradients: [{ place: ['w'], copy: { dtype: 'float32' as const, shape: [2 ** 24], data } }],
  };
  outbox.add({ ...event, copies });
  expect(outbox.hasRoom('batch', () => '')).toBe(false);
  outbox.flush();
  outbox.answered(1);
  expect(outbox.hasRoom('batch', () => '')).toBe(true);
});

test('epochs have four times the room of batches, and then they are left out, too', () => {
  const outbox = new Outbox({ post() {} });
  for (let i = 0; i < 4096; i++) outbox.add(event);
  expect([outbox.hasRoom('batch', () => 'b'), outbox.hasRoom('epoch', () => 'e')]).toEqual([false, true]);
  for (let i = 4096; i < 4 * 4096; i++) outbox.add(event);
  expect(outbox.hasRoom('epoch', () => 'e')).toBe(false);
});

test('an event that is asked about several times is left out once', () => {
  const sent: { leftOut: number }[] = [];
  const outbox = new Outbox({ post: (message) => void sent.push(message as never) });
  for (let i = 0; i < 4096; i++) outbox.add(event);
  for (const place of ['step 1', 'step 1', 'step 1', 'step 2', 'step 2'])
    outbox.hasRoom('batch', () => place);
  outbox.flush();
  expect(sent.at(-1)!.leftOut).toBe(2);
});

test('what is added soon after a message waits for the next one, which goes by itself', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const sizes: number[] = [];
    const outbox = new Outbox({
      post: (message) => void sizes.push((message as { events: unknown[] }).events.length),
    });
    vi.advanceTimersByTime(1000);
    for (let i = 0; i < 5; i++) outbox.add(event);
    expect(sizes).toEqual([1]);
    vi.advanceTimersByTime(14);
    expect(sizes).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(sizes).toEqual([1, 4]);
    vi.advanceTimersByTime(1000);
    outbox.flush();
    expect(sizes).toEqual([1, 4]);
  } finally {
    vi.useRealTimers();
  }
});
