import type { Hook } from '@hookline/hook-api';
import { memoryCheckpoint, namedHook, scriptedLosses } from '@hookline/test-runs';
import { expect, test, vi } from 'vitest';
import { notify, type Payload } from '../src/index.js';
import { closedPort, type Receiver, receiver } from './receiver.js';

const eventsOf = ({ received }: Receiver) => received.map(({ body }) => (body as Payload).event);

test('two instances send what each was asked for, to where each was told', async () => {
  const [team, own] = [await receiver(), await receiver()];
  const run = scriptedLosses(
    [0.5, 0.4, 0.4, 0.4],
    [
      notify({ webhook: team.url }),
      namedHook(notify({ webhook: own.url, on: ['best', 'plateau'], plateau: 2 }), 'details'),
    ],
  );
  await run.fit();
  expect(run.warnings()).toEqual([]);
  expect(eventsOf(team)).toEqual(['end']);
  expect(eventsOf(own)).toEqual(['best', 'plateau']);
});

test('an instance whose receiver is dead takes nothing from the other', async () => {
  const alive = await receiver();
  const run = scriptedLosses(
    [3, 2, 1],
    [
      notify({ webhook: await closedPort(), on: ['best', 'end'], retries: 0 }),
      namedHook(notify({ webhook: alive.url, on: ['best', 'end'] }), 'alive'),
    ],
  );
  await run.fit();
  expect(eventsOf(alive)).toEqual(['best', 'best', 'end']);
  expect(run.warnings('alive')).toEqual([]);
  expect(run.warnings('notify')).toHaveLength(2);
});

test('a warning says which instance it is about', async () => {
  vi.stubEnv('NOT_SET', undefined);
  vi.stubEnv('WRONG', 'ftp://example.org');
  try {
    const silent = namedHook(notify({ webhookEnv: 'NOT_SET' }), 'pager');
    const searching = namedHook(
      notify({ webhookEnv: 'NOT_SET', on: ['best'], monitor: 'val/los' }),
      'best-of',
    );
    const run = scriptedLosses([1, 1], [silent, searching]);
    await run.fit();
    expect(run.warnings('pager')).toEqual([
      'pager sends nothing: the environment variable NOT_SET is not set.',
    ]);
    expect(run.warnings('best-of')).toContainEqual(
      expect.stringMatching(
        /^best-of monitors "val\/los", but there is no such metric\. Did you mean "val\/loss"\?/,
      ),
    );
    const wrong = scriptedLosses([1], [namedHook(notify({ webhookEnv: 'WRONG' }), 'pager')]);
    await expect(wrong.fit()).rejects.toThrow('Hook "pager": the environment variable WRONG is not an http');
  } finally {
    vi.unstubAllEnvs();
  }
});

test('each instance resumes with its own best', async () => {
  const checkpoint = memoryCheckpoint();
  const hooks = (low: Receiver, high: Receiver): Hook[] => [
    notify({ webhook: low.url, on: ['best'] }),
    namedHook(notify({ webhook: high.url, on: ['best'], mode: 'max' }), 'highest'),
  ];
  const [before, unused] = [await receiver(), await receiver()];
  await scriptedLosses([0.5, 0.4], [checkpoint.saves({ epoch: 1 }), ...hooks(before, unused)]).fit();
  expect([eventsOf(before), eventsOf(unused)]).toEqual([['best'], []]);

  // The losses of the two epochs that are left: no new minimum, then no new maximum.
  const [low, high] = [await receiver(), await receiver()];
  const resumed = scriptedLosses([0.45, 0.3], [checkpoint.resumes, ...hooks(low, high)]);
  await resumed.fit({ epochs: 4, resume: 'auto' });
  expect(low.received.map(({ body }) => (body as Payload).text)).toEqual([
    expect.stringContaining('new best val/loss: 0.3, after 0.4.'),
  ]);
  expect(eventsOf(high)).toEqual([]);
});
