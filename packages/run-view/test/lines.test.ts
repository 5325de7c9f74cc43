import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLines } from '../src/lines.js';
import { runFolder } from './run-folder.js';

const fileOf = (content: string) => join(runFolder({ 'log.jsonl': content }), 'log.jsonl');

async function linesOf(file: string, start = 0) {
  const lines: string[] = [];
  const read = await readLines(file, start, (line) => lines.push(line));
  return { lines, ...read };
}

test('every whole line is handed over; what follows the last line break waits until it is whole', async () => {
  const file = fileOf('one\ntwo\nthr');
  const first = await linesOf(file);
  expect(first).toEqual({ lines: ['one', 'two'], end: 8, tooLong: 0 });
  appendFileSync(file, 'ee\nfour');
  expect(await linesOf(file, first.end)).toEqual({ lines: ['three'], end: 14, tooLong: 0 });
});

test('an empty file has no lines, an empty line is one, and nothing new is nothing', async () => {
  expect(await linesOf(fileOf(''))).toEqual({ lines: [], end: 0, tooLong: 0 });
  expect(await linesOf(fileOf('\n\na\n'))).toEqual({ lines: ['', '', 'a'], end: 4, tooLong: 0 });
  expect(await linesOf(fileOf('a\n'), 2)).toEqual({ lines: [], end: 2, tooLong: 0 });
});

test('a letter of several bytes that two pieces share is whole', async () => {
  // The file is read in pieces of 1 MiB: the é has one byte in the first and one in the second.
  const before = 'x'.repeat(1000);
  const filler = `${before}\n`.repeat(Math.floor((2 ** 20 - 1) / 1001));
  const line = `${'y'.repeat(2 ** 20 - 1 - filler.length)}é end`;
  const { lines } = await linesOf(fileOf(`${filler}${line}\nlast\n`));
  expect(lines.at(-2)).toBe(line);
  expect(lines.at(-1)).toBe('last');
});

test('a line longer than 1 MiB is passed over and counted when it ends, and the others are not lost', async () => {
  const long = 'z'.repeat(3 * 2 ** 20);
  expect(await linesOf(fileOf(`a\n${long}\nb\n`))).toEqual({
    lines: ['a', 'b'],
    end: long.length + 5,
    tooLong: 1,
  });
  const unfinished = await linesOf(fileOf(`a\n${long}`));
  // It is counted once, by the call that sees its end.
  expect(unfinished).toEqual({ lines: ['a'], end: 2, tooLong: 0 });
});

test.each([0, 1, 1000, 2 ** 20 - 1])(
  'a line of 1 MiB is read and a longer one is not, after %d bytes',
  async (before) => {
    const filler = before === 0 ? '' : `${'x'.repeat(before - 1)}\n`;
    const [longest, longer] = ['y'.repeat(2 ** 20), 'z'.repeat(2 ** 20 + 1)];
    const { lines, tooLong } = await linesOf(fileOf(`${filler}${longest}\n${longer}\nlast\n`));
    expect(lines.slice(-2).map(({ length }) => length)).toEqual([2 ** 20, 4]);
    expect(tooLong).toBe(1);
  },
);

test('a file that is not there is an error, for the caller to decide about', async () => {
  await expect(linesOf(join(runFolder(), 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});
