import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { LocalRank } from '../../../src/host/ranks/local-rank.js';
import { SharedValues, sharedBytes } from '../../../src/host/ranks/shared-values.js';
import { meetings } from '../../support/rank-sockets.js';

/** Two ranks, and how the second one goes. */
async function twoRanks(): Promise<{ main: LocalRank; other: LocalRank; kill: () => void }> {
  const file = join(tempFolder(), 'values');
  writeFileSync(file, '');
  truncateSync(file, sharedBytes(2));
  const { hub, spokes, sockets } = await meetings(2);
  const [main, other] = [hub, spokes[0]!].map(
    (meeting) => new LocalRank(meeting, new SharedValues(file, meeting)),
  );
  const kill = () => {
    sockets[0]!.destroy();
    hub.ended(1, 'was ended by SIGKILL');
  };
  return { main: main!, other: other!, kill };
}

const MANY = 20_000;
const buckets = () => [1, 2, 3].map((value) => new Float32Array(MANY).fill(value));

test('calls that are made at once are done one after the other, in their order', async () => {
  const { main, other } = await twoRanks();
  const all = await Promise.all(
    [main, other].map(async (rank) => {
      const values = buckets();
      const sums = values.map((each) => rank.sum(each));
      const said = rank.gather(`rank ${rank.rank}`);
      await Promise.all(sums);
      return [values.map((each) => [each[0], each.at(-1)]), await said];
    }),
  );
  const expected = [
    [
      [2, 2],
      [4, 4],
      [6, 6],
    ],
    ['rank 0', 'rank 1'],
  ];
  expect(all).toEqual([expected, expected]);
});

test('a rank that dies between two sums ends all that are under way, with its name', async () => {
  const { main, other, kill } = await twoRanks();
  const sums = buckets().map((each) => main.sum(each));
  await other.sum(new Float32Array(MANY));
  kill();
  const [first, ...rest] = await Promise.allSettled(sums);
  expect(first!.status).toBe('fulfilled');
  for (const settled of rest) {
    expect(settled).toMatchObject({
      reason: {
        code: 'RANK_FAILED',
        message: expect.stringContaining('Rank 1 is gone: its process was ended by SIGKILL'),
      },
    });
  }
});
