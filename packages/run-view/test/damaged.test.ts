import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRuns, follow, readRun } from '../src/index.js';
import { runFolder } from './run-folder.js';

const loss = (step: number, value: unknown = step) => ({
  event: 'log',
  step,
  epoch: 0,
  metrics: { loss: value },
});
const textOf = (...lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const LOG = textOf(loss(1), loss(2), loss(3), { event: 'end', status: 'completed' });

async function read(log: string | Buffer) {
  const folder = runFolder({ 'run.json': { id: 'a', status: 'running' } });
  writeFileSync(join(folder, 'log.jsonl'), log);
  const { series, skippedLines, status } = await readRun(folder);
  return { steps: [...(series.get('loss')?.points().steps ?? [])], skippedLines, status };
}

test('wherever a log is cut off, its whole lines are read and nothing is made up', async () => {
  const ends = [...LOG.matchAll(/\n/g)].map(({ index }) => index + 1);
  const folder = runFolder({ 'run.json': { id: 'a', status: 'running' }, 'log.jsonl': LOG });
  for (let length = LOG.length; length >= 0; length -= 3) {
    truncateSync(join(folder, 'log.jsonl'), length);
    const whole = ends.filter((end) => end <= length).length;
    const { series, skippedLines, status } = await readRun(folder);
    expect([series.get('loss')?.length ?? 0, skippedLines]).toEqual([Math.min(whole, 3), 0]);
    expect(status).toBe(whole === 4 ? 'completed' : 'running');
  }
});

test.each<[string, string | Buffer, object]>([
  ['with line breaks of Windows', LOG.replaceAll('\n', '\r\n'), { skippedLines: 0, status: 'completed' }],
  ['with zeros, as after a power failure', `${'\0'.repeat(64)}\n${LOG}`, { skippedLines: 1 }],
  [
    'with bytes that are not text',
    Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(LOG)]),
    { skippedLines: 1 },
  ],
  ['with another file in its middle', LOG.replace('\n', '\n<html>\n</html>\n'), { skippedLines: 2 }],
  [
    'with a line that two processes wrote at once',
    LOG.replace('\n', '\n{"event":{"event":"log"}\n'),
    { skippedLines: 1 },
  ],
])('a log %s keeps its curve', async (_what, log, expected) => {
  expect(await read(log)).toMatchObject({ steps: [1, 2, 3], ...expected });
});

test('names that JavaScript knows are names like any other', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''];
  const log = names.map(
    (name, at) => `{"event":"epoch","step":${at},"epoch":0,"metrics":{${JSON.stringify(name)}:${at}}}\n`,
  );
  const folder = runFolder({ 'log.jsonl': log.join('') });
  const { series, metrics } = await readRun(folder);
  expect([...series.keys()]).toEqual(names);
  expect(Object.entries(metrics)).toEqual(names.map((name, at) => [name, at]));
  expect(Object.getPrototypeOf(metrics)).toBe(Object.prototype);
});

test('steps and epochs that are not numbers are the beginning, and the value stays', async () => {
  const log = textOf({ event: 'log', step: 'x', epoch: null, metrics: { loss: 5 } });
  const { series } = await readRun(runFolder({ 'log.jsonl': log }));
  const { steps, epochs, values } = series.get('loss')!.points();
  expect([[...steps], [...epochs], [...values]]).toEqual([[0], [0], [5]]);
});

describe('what stands where a file should be', () => {
  test.each(['run.json', 'log.jsonl', 'profile.json', 'confusion.json'])(
    'a folder called %s is passed over',
    async (name) => {
      const folder = runFolder({ 'run.json': { id: 'a', status: 'completed' }, 'log.jsonl': LOG });
      rmSync(join(folder, name), { force: true });
      mkdirSync(join(folder, name));
      const view = await readRun(folder);
      expect(view.status).toBe('completed');
      expect(view.series.size).toBe(name === 'log.jsonl' ? 0 : 1);
      expect([view.profile, view.confusion]).toEqual([undefined, undefined]);
    },
  );

  test('a link that leads nowhere, or to itself, is not a run', async () => {
    const folder = runFolder({ 'a/run.json': {}, 'b/other': '' });
    symlinkSync('nowhere', join(folder, 'b', 'run.json'));
    mkdirSync(join(folder, 'c'));
    symlinkSync('run.json', join(folder, 'c', 'run.json'));
    mkdirSync(join(folder, 'd', 'run.json'), { recursive: true });
    expect(await findRuns(folder)).toEqual([join(folder, 'a')]);
    expect(await readRun(join(folder, 'c'))).toMatchObject({ id: 'c', status: 'unknown' });
  });

  test('a file is not a folder of runs', async () => {
    const folder = runFolder({ 'a.txt': '' });
    expect(await findRuns(join(folder, 'a.txt'))).toEqual([]);
    expect((await readRun(join(folder, 'a.txt'))).status).toBe('unknown');
  });
});

test('a long line that is still being written is counted once, however often it is looked at', async () => {
  const folder = runFolder({ 'run.json': { id: 'a', status: 'running' }, 'log.jsonl': textOf(loss(1)) });
  const log = join(folder, 'log.jsonl');
  const ending = new AbortController();
  const skipped: number[] = [];
  for await (const view of follow(folder, { everyMs: 1, signal: ending.signal })) {
    skipped.push(view.skippedLines);
    if (skipped.length <= 3) appendFileSync(log, 'x'.repeat(2 ** 20));
    else if (skipped.length === 4) appendFileSync(log, `\n${textOf(loss(2))}`);
    else ending.abort();
  }
  expect(skipped).toEqual([0, 0, 0, 0, 1]);
});

test('a run that was cut off again and again shows its latest 200 parts', async () => {
  const count = 205;
  const files = Array.from({ length: count }, (_, at) => {
    const id = `run-${at}`;
    const resumedFrom = at > 0 ? { run: `run-${at - 1}`, step: at } : undefined;
    return [
      [`${id}/run.json`, { id, status: 'stopped', resumedFrom }],
      [`${id}/log.jsonl`, [{ event: 'start', step: at, epoch: 0 }, loss(at + 1)]],
    ] as const;
  });
  const folder = runFolder(Object.fromEntries(files.flat()));
  const { earlier, series } = await readRun(join(folder, `run-${count - 1}`));
  expect([earlier.length, earlier[0]!.id, earlier.at(-1)!.id]).toEqual([200, 'run-4', 'run-203']);
  expect(series.get('loss')!.points().steps[0]).toBe(5);
});

test('a part whose folder is gone is named and not known, and the others are joined', async () => {
  const folder = runFolder({
    'a/run.json': { id: 'a', status: 'error' },
    'c/run.json': { id: 'c', status: 'stopped', resumedFrom: { run: 'b', step: 1 } },
    'c/log.jsonl': [{ event: 'start', step: 1, epoch: 0 }, loss(2)],
  });
  const { earlier, series } = await readRun(join(folder, 'c'));
  expect(earlier).toEqual([{ id: 'b', durationMs: undefined, isKnown: false }]);
  expect([...series.get('loss')!.points().steps]).toEqual([2]);
});
