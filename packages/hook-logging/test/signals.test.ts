import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { decodeEventFile } from './decode-events.js';
import { csvObjects } from './parse-csv.js';
import { tempFolder } from './temp-folder.js';

const folder = tempFolder();
const source = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** A process that trains until a signal comes, logs every batch, and prints each batch that has been logged. */
const trainingProcess = (options: object) => `
  import { writeSync } from 'node:fs';
  import { csvLog, jsonLog, tensorboard } from ${source('../src/index.ts')};
  import { samples, tinyRun } from ${source('./tiny-run.ts')};
  const folder = ${JSON.stringify(folder.path)};
  // Marked as one that leaves the signal to others.
  const tell = Object.assign(() => void writeSync(1, 'signal\\n'), { [Symbol.for('hookline.tidies-up')]: true });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, tell);
  const last = { name: 'checkpoint', onTrainBatchEnd: (ctx, { batchIndex }) => void writeSync(1, batchIndex + '\\n') };
  const { trainer } = tinyRun([
    jsonLog({ every: 1, file: folder + '/log.jsonl' }),
    csvLog({ every: 1, file: folder + '/log.csv' }),
    tensorboard({ every: 1, dir: folder + '/tb' }),
    last,
  ], ${JSON.stringify(options)});
  const { status } = await trainer.fit({ train: samples(200_000), epochs: 1, batchSize: 2, shuffle: false });
  writeSync(1, status + '\\n');
`;

async function interrupted(
  signal: NodeJS.Signals,
  options = {},
): Promise<{ printed: string[]; ended: unknown[] }> {
  const args = ['--conditions=@hookline/source', '--import', 'tsx', '--input-type=module', '--eval'];
  const child = spawn(process.execPath, [...args, trainingProcess(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let sent = false;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    if (sent || output.split('\n').length < 100) return;
    sent = true;
    child.kill(signal);
  });
  const ended = await once(child, 'close');
  return { printed: output.trim().split('\n'), ended };
}

/** The batches in each of the three logs. */
async function loggedBatches(): Promise<number[][]> {
  const json = (await readFile(folder.in('log.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const csv = csvObjects(await readFile(folder.in('log.csv'), 'utf8'));
  const [events] = await readdir(folder.in('tb'));
  const board = decodeEventFile(await readFile(folder.in('tb', events!)));
  return [
    json.filter(({ event }) => event === 'batch').map(({ batch }) => batch),
    csv.filter(({ event }) => event === 'batch').map(({ step }) => Number(step) - 1),
    board.filter(({ values }) => values.some(({ tag }) => tag === 'batch/loss')).map(({ step }) => step - 1),
  ];
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a process that %s ends has every batch until then in every log',
  async (signal) => {
    const { printed, ended } = await interrupted(signal, { signals: false });
    expect(ended).toEqual([null, signal]);
    const count = printed.indexOf('signal');
    expect(count).toBeGreaterThanOrEqual(99);
    for (const batches of await loggedBatches()) {
      expect(batches).toEqual(Array.from({ length: batches.length }, (_, i) => i));
      expect(batches.length).toBeGreaterThanOrEqual(count);
    }
  },
);

test('where the trainer handles the signal and stops the run, logs are complete to the end', async () => {
  const { printed, ended } = await interrupted('SIGINT');
  expect(ended).toEqual([130, null]);
  expect(printed.at(-1)).toBe('stopped');
  const count = printed.length - 2;
  for (const batches of await loggedBatches())
    expect(batches).toEqual(Array.from({ length: count }, (_, i) => i));
  const lines = (await readFile(folder.in('log.jsonl'), 'utf8')).trim().split('\n');
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ event: 'end', status: 'stopped', stopReason: 'SIGINT' });
});
