import { expect, test } from 'vitest';
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
