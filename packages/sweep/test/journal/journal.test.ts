import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import type { Entry } from '../../src/journal/entries.js';
import { Journal } from '../../src/journal/journal.js';
import { type Owner, thisOwner } from '../../src/journal/owner.js';

const folder = folderPerTest();
const journal = () => new Journal(folder.in('sweep'));
const file = () => folder.in('sweep/journal.jsonl');
const start = (trial: number, by: Owner = thisOwner()): Entry => ({
  event: 'start',
  trial,
  rung: 0,
  point: { x: trial },
  by,
});
const ended: Entry = {
  event: 'end',
  trial: 0,
  rung: 0,
  value: 0.5,
  epochs: 1,
  steps: 9,
  seconds: 2,
  finished: false,
};
const add = (...entries: Entry[]) => journal().update(() => ({ entries, result: undefined }));

test('what was written is read again, by another process too', async () => {
  await add(start(0));
  await add(ended, start(1));
  expect(journal().trials()).toMatchObject([
    {
      number: 0,
      point: { x: 0 },
      outcomes: [{ value: 0.5, epochs: 1, steps: 9, seconds: 2 }],
      running: undefined,
    },
    { number: 1, point: { x: 1 }, outcomes: [], running: 0 },
  ]);
});

test('a value that was not a number stays one', async () => {
  await add(start(0), { ...ended, value: null } as Entry);
  expect(journal().trials()[0]!.outcomes[0]!.value).toBeNaN();
});

test('a trial whose process is gone was interrupted; that of a queue or of another machine is believed', async () => {
  const gone = { ...thisOwner(), pid: 2 ** 22 + 1 };
  await add(start(0, gone), start(1, 'queue'), start(2, { ...gone, machine: 'elsewhere' }));
  const trials = journal().trials();
  expect(trials.map(({ running }) => running)).toEqual([undefined, 0, 0]);
  expect(trials[0]!.interrupted).toBe(0);
});

test('a line torn by the end of its process is dropped, and what follows begins on a line of its own', async () => {
  await add(start(0));
  appendFileSync(file(), '{"event":"end","tri');
  expect(journal().trials()).toHaveLength(1);
  await add(start(1));
  expect(
    readFileSync(file(), 'utf8')
      .split('\n')
      .map((line) => line.slice(0, 16)),
  ).toEqual(['{"event":"start"', '{"event":"start"', '']);
});

test.each(['{"event":"start"', '{}', '[]', '{"event":"end","trial":-1}'])(
  'a line in the middle that is not an entry is named: %s',
  async (line) => {
    await add(start(0));
    writeFileSync(file(), `${line}\n${readFileSync(file(), 'utf8')}`);
    const error = await errorOf(() => journal().trials());
    expect(error.code).toBe('SWEEP_JOURNAL');
    expect(error.message).toContain('Line 1 of ');
  },
);

test('many at once: every one decides on what the ones before it wrote', async () => {
  const numbers = await Promise.all(
    Array.from({ length: 20 }, () =>
      journal().update((trials) => ({ entries: [start(trials.length)], result: trials.length })),
    ),
  );
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(journal().trials()).toHaveLength(20);
});
