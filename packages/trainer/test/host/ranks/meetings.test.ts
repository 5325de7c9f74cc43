import { errorOf } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { type Meetings, meetings } from '../../support/rank-sockets.js';

const bytes = (text: string) => Buffer.from(text);

/** What each rank leaves a meeting with. */
async function met({ hub, spokes }: Meetings, say: (rank: number) => string): Promise<string[][]> {
  const all = await Promise.all([hub, ...spokes].map((each) => each.meet(bytes(say(each.rank)))));
  return all.map((given) => given.map(String));
}

describe('a meeting', () => {
  test('gives every rank what all have brought, by rank, as often as they meet', async () => {
    const ranks = await meetings(3);
    for (const round of ['a', 'b', 'c']) {
      const expected = [0, 1, 2].map((rank) => `${round}${rank}`);
      const each = await met(ranks, (rank) => `${round}${rank}`);
      expect(each).toEqual([expected, expected, expected]);
    }
  });

  test('waits for the last one, whoever that is', async () => {
    const { hub, spokes } = await meetings(3);
    const early = spokes[1]!.meet(bytes('second'));
    const main = hub.meet(bytes('main'));
    const isOver = await Promise.race([
      Promise.all([early, main]).then(() => true),
      new Promise<false>((resolve) => setImmediate(() => resolve(false))),
    ]);
    expect(isOver).toBe(false);
    await spokes[0]!.meet(bytes('first'));
    expect((await main).map(String)).toEqual(['main', 'first', 'second']);
    expect((await early).map(String)).toEqual(['main', 'first', 'second']);
  });

  test('carries what is larger than a part of a socket', async () => {
    const large = 'x'.repeat(3_000_000);
    const [main, other] = await met(await meetings(2), (rank) => `${rank}${large}`);
    expect(main![1]!.length).toBe(large.length + 1);
    expect(other).toEqual(main);
  });
});

describe('a rank that fails', () => {
  test('ends what the others wait for, with its number and its reason', async () => {
    const { hub, spokes } = await meetings(3);
    const waiting = [hub.meet(bytes('')), spokes[0]!.meet(bytes(''))].map((each) => errorOf(each));
    spokes[1]!.abort('out of coffee');
    for (const error of await Promise.all(waiting)) {
      expect(error).toMatchObject({ code: 'RANK_FAILED', message: 'Rank 2 failed: out of coffee' });
    }
    expect(hub.failedRank).toBe(2);
  });

  test('the main one ends what the others wait for', async () => {
    const { hub, spokes } = await meetings(2);
    const waiting = errorOf(spokes[0]!.meet(bytes('')));
    hub.abort('the disk is gone');
    expect((await waiting).message).toBe('Rank 0, the main one, failed: the disk is gone');
    expect(hub.failedRank).toBe(0);
  });

  test('nobody meets again after it, and the first reason stays', async () => {
    const { hub, spokes } = await meetings(2);
    const main = errorOf(hub.meet(bytes('')));
    spokes[0]!.abort('first');
    await main;
    spokes[0]!.abort('second');
    hub.abort('third');
    expect((await errorOf(hub.meet(bytes('')))).message).toBe('Rank 1 failed: first');
    expect((await errorOf(spokes[0]!.meet(bytes('')))).message).toBe('Rank 1 failed: first');
  });
});

describe('a rank that is gone', () => {
  test('is a failure as soon as the main rank waits for it, with how its process ended', async () => {
    const { hub } = await meetings(2);
    hub.ended(1, 'was ended by SIGKILL');
    expect(hub.failedRank).toBeUndefined();
    const error = await errorOf(hub.meet(bytes('')));
    expect(error.code).toBe('RANK_FAILED');
    expect(error.message).toMatch(/^Rank 1 is gone: its process was ended by SIGKILL\. .*resume: "auto"/);
    expect(hub.failedRank).toBe(1);
  });

  test('ends a meeting that is under way, on all ranks', async () => {
    const { hub, spokes } = await meetings(3);
    const waiting = [hub.meet(bytes('')), spokes[0]!.meet(bytes(''))].map((each) => errorOf(each));
    hub.ended(2, 'ended with exit code 3');
    for (const { message } of await Promise.all(waiting))
      expect(message).toContain('Rank 2 is gone: its process ended with exit code 3');
  });

  test.each([true, false])(
    'has ended well when it has brought what was asked of it (main waits: %s)',
    async (waits) => {
      const { hub, spokes, sockets } = await meetings(3);
      const arrived = new Promise((resolve) => sockets[0]!.once('data', resolve));
      const first = spokes[0]!.meet(bytes('last words'));
      await arrived;
      const begin = () => hub.meet(bytes('main'));
      const early = waits ? begin() : undefined;
      hub.ended(1, 'ended with exit code 0');
      const main = early ?? begin();
      await spokes[1]!.meet(bytes('late'));
      expect((await main).map(String)).toEqual(['main', 'last words', 'late']);
      await first;
    },
  );

  test('the main one is a failure of all others', async () => {
    const { spokes, sockets } = await meetings(2);
    const waiting = errorOf(spokes[0]!.meet(bytes('')));
    sockets[0]!.destroy();
    expect(await waiting).toMatchObject({
      code: 'RANK_FAILED',
      message: 'The main rank is gone: it closed its connection.',
    });
  });
});

describe('a rank that does not answer', () => {
  test('is named by the main rank when the time is over, and all others learn of it', async () => {
    const { hub, spokes, sockets } = await meetings(4, { main: 0.01 });
    const arrived = new Promise((resolve) => sockets[1]!.once('data', resolve));
    const there = errorOf(spokes[1]!.meet(bytes('')));
    await arrived;
    expect(await errorOf(hub.meet(bytes('')))).toMatchObject({
      code: 'RANK_TIMEOUT',
      message: expect.stringMatching(/^Ranks 1, 3 have not answered for 0\.01 s: .*raise timeout/),
    });
    expect((await there).message).toContain('have not answered');
  });

  test('the main one is named by the others, which wait longer than it does', async () => {
    const { spokes } = await meetings(2, { others: 0.02 });
    expect(await errorOf(spokes[0]!.meet(bytes('')))).toMatchObject({
      code: 'RANK_TIMEOUT',
      message: 'The main rank has not answered for 0.03 s.',
    });
  });
});
