import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { RunFeed } from '../src/server/run-feed.js';

const folder = folderPerTest();

test('what waits for a page that does not read is bounded, and it gets everything once it reads', async () => {
  const [run, log] = [folder.in('a'), folder.in('a', 'log.jsonl')];
  mkdirSync(run);
  writeFileSync(log, '');
  const lines = (from: number) =>
    Array.from({ length: 2_000 }, (_, at) => {
      const metrics = Object.fromEntries(
        Array.from({ length: 20 }, (_, name) => [`m/${name}`, Math.sin(at + name)]),
      );
      return `${JSON.stringify({ event: 'log', epoch: 0, step: from + at, metrics })}\n`;
    }).join('');
  const [slow, quick] = [new PassThrough(), new PassThrough()];
  let read = '';
  quick.on('data', (data) => (read += data));
  const feed = new RunFeed(run, { everyMs: 1, controls: async () => undefined, onEmpty: () => {} });
  for (const page of [slow, quick]) feed.join(page as unknown as ServerResponse);
  for (let round = 0; round < 10; round++) {
    const before = read.length;
    appendFileSync(log, lines(round * 2_000));
    while (read.length === before) await new Promise(setImmediate);
  }
  // Much more was sent to the page that reads.
  expect(slow.writableLength + slow.readableLength).toBeLessThan(3 * 2 ** 20);
  expect(read.length).toBeGreaterThan(4 * 2 ** 20);
  let late = '';
  slow.on('data', (data) => (late += data));
  while (slow.writableLength > 0) await new Promise(setImmediate);
  appendFileSync(log, lines(20_000));
  const isWhole = () => late.lastIndexOf('"isWhole":true') > late.indexOf('"isWhole":false');
  while (!isWhole()) await new Promise(setImmediate);
  feed.close();
});
