import { expect, test } from 'vitest';
import { Outbox, type OutboxOptions } from '../../src/delivery/outbox.js';
import { type Outcome, post } from '../../src/delivery/post.js';
import { webhookOf } from '../../src/delivery/webhook.js';
import { closedPort, receiver } from '../receiver.js';

interface Delivery {
  outbox: Outbox;
  /** What was given up, and why. */
  lost: string[];
  /** How long it waited between attempts; it did not really wait. */
  waits: number[];
}

function delivery(url: string, options: Partial<OutboxOptions> & { timeoutMs?: number } = {}): Delivery {
  const { timeoutMs = 5000, ...rest } = options;
  const webhook = webhookOf(url, 'test', 'json');
  const [lost, waits]: [string[], number[]] = [[], []];
  const outbox = new Outbox({
    retries: 3,
    send: (body, signal) => post(webhook, body, { timeoutMs, signal }),
    onLost: ({ event }, reason) => void lost.push(`${event}: ${reason}`),
    wait: async (ms) => void waits.push(ms),
    ...rest,
  });
  return { outbox, lost, waits };
}

const letter = (event: string) => ({ event, body: JSON.stringify(event) });

/** Long enough for everything here to be delivered: it returns as soon as that is so. */
const PLENTY = 20_000;

test('a message is sent again while the receiver has trouble, and once it is there never again', async () => {
  const { url, received } = await receiver((index) => [500, 503, 200][index]!);
  const { outbox, lost, waits } = delivery(url);
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(received.map(({ body }) => body)).toEqual(['end', 'end', 'end']);
  expect(waits).toHaveLength(2);
  expect(lost).toEqual([]);
});

test('after three more attempts it is given up', async () => {
  const { url, received } = await receiver(() => 500);
  const { outbox, lost } = delivery(url);
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(received).toHaveLength(4);
  expect(lost).toEqual(['end: the answer was status 500']);
});

test('a receiver that is too busy is obeyed in how long to wait', async () => {
  const { url, received } = await receiver((index, response) => {
    if (index > 0) return 204;
    response.setHeader('retry-after', '7');
    return 429;
  });
  const { outbox, lost, waits } = delivery(url);
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(waits).toEqual([7000]);
  expect(received).toHaveLength(2);
  expect(lost).toEqual([]);
});

test('one that asks for an hour is not waited for', async () => {
  const { url, received } = await receiver((_index, response) => {
    response.setHeader('retry-after', '3600');
    return 429;
  });
  const { outbox, lost } = delivery(url);
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(received).toHaveLength(1);
  expect(lost).toEqual(['end: the answer was status 429']);
});

test('a refusal is final', async () => {
  const { url, received } = await receiver(() => 404);
  const { outbox, lost } = delivery(url);
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(received).toHaveLength(1);
  expect(lost).toEqual(['end: the answer was status 404']);
});

test.each([301, 302, 307, 308])('a redirect (%i) is not followed', async (status) => {
  const elsewhere = await receiver();
  const { url, received } = await receiver((_index, response) => {
    response.setHeader('location', elsewhere.url);
    return status;
  });
  const { outbox, lost } = delivery(url);
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(received).toHaveLength(1);
  expect(elsewhere.received).toEqual([]);
  expect(lost).toEqual(['end: the answer was a redirect, which is not followed']);
});

test('a port at which nobody listens is tried again, too', async () => {
  const { outbox, lost, waits } = delivery(await closedPort());
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(waits).toHaveLength(3);
  expect(lost).toEqual(['end: the connection failed (ECONNREFUSED)']);
});

test('a receiver that never answers is left after the timeout, and tried again', async () => {
  const { url, received } = await receiver((index) => (index === 0 ? undefined : 200));
  const webhook = webhookOf(url, 'test', 'json');
  const outcomes: Outcome[] = [];
  const { outbox, lost } = delivery(url, {
    send: async (body, signal) => {
      const timeoutMs = outcomes.length === 0 ? 300 : PLENTY;
      outcomes.push(await post(webhook, body, { timeoutMs, signal }));
      return outcomes.at(-1)!;
    },
  });
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(outcomes).toEqual([
    { sent: false, reason: 'there was no answer within 300 ms', retry: true },
    { sent: true },
  ]);
  expect(lost).toEqual([]);
  await received[0]!.gone;
});

test('an answer whose body never ends is an answer', async () => {
  const { url, received } = await receiver((_index, response) => {
    response.writeHead(200).write('and so on');
    return undefined;
  });
  const { outbox, lost } = delivery(url);
  outbox.push(letter('end'));
  await outbox.close(PLENTY);
  expect(received).toHaveLength(1);
  expect(lost).toEqual([]);
});

test('messages arrive in their order, one at a time', async () => {
  let [open, most] = [0, 0];
  const { url, received, until } = await receiver(async () => {
    most = Math.max(most, ++open);
    await new Promise(setImmediate);
    open--;
    return 200;
  });
  const { outbox } = delivery(url);
  for (const event of ['start', 'best', 'plateau']) outbox.push(letter(event));
  await until(3);
  expect(received.map(({ body }) => body)).toEqual(['start', 'best', 'plateau']);
  expect(most).toBe(1);
  await outbox.close(PLENTY);
});

test('when too many wait the oldest goes', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { url, received, until } = await receiver(async () => {
    await released;
    return 200;
  });
  const { outbox, lost } = delivery(url);
  outbox.push(letter('in flight'));
  await until(1);
  for (let index = 0; index < 10; index++) outbox.push(letter(`best ${index}`));
  expect(lost).toEqual(['best 0: newer messages were waiting', 'best 1: newer messages were waiting']);
  release();
  await outbox.close(PLENTY);
  expect(received.map(({ body }) => body)).toHaveLength(9);
});

test('at the end a message that hangs does not hold up the last one, and what is left is aborted', async () => {
  const { url, received, until } = await receiver((index) => (index === 0 ? undefined : 200));
  const { outbox, lost } = delivery(url);
  outbox.push(letter('best'));
  await until(1);
  outbox.push(letter('end'));
  await outbox.close(1000);
  expect(received.map(({ body }) => body)).toEqual(['best', 'end']);
  expect(lost).toEqual(['best: the run was over']);
  await received[0]!.gone;
});

test('a wait between two attempts ends with the run', async () => {
  let failed = (): void => {};
  const hasFailed = new Promise<void>((resolve) => {
    failed = resolve;
  });
  const lost: string[] = [];
  const outbox = new Outbox({
    retries: 3,
    send: async () => {
      failed();
      return { sent: false, reason: 'busy', retry: true, afterMs: 200_000 };
    },
    onLost: (_letter, reason) => void lost.push(reason),
  });
  outbox.push(letter('end'));
  await hasFailed;
  await outbox.close(1);
  expect(lost).toEqual(['busy']);
});
