import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { folderPerTest, someOf } from '@hookline/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { csvObjects } from './csv/parse-csv.js';
import { MlflowServer } from './mlflow/mlflow-server.js';
import { decodeEventFile } from './tensorboard/decode-events.js';

const folder = folderPerTest();
let server: MlflowServer;
beforeEach(async () => {
  server = await new MlflowServer().start();
});
afterEach(() => server.stop());

/** A process that trains, logs every batch to every backend, and prints each batch that has been logged. */
const TRAINING_PROCESS = `
  import { appendFileSync, writeSync } from 'node:fs';
  import { logging } from './src/index.ts';
  import { samples, tinyRun } from '@hookline/test-runs';
  const [folder, uri, options, atBatch100] = process.argv.slice(2);
  const endings = {
    'an error that nobody catches': () => setImmediate(() => { throw new Error('crash'); }),
    'a call of process.exit': () => process.exit(0),
    'a call of process.exit that says 3': () => process.exit(3),
  };
  // Marked as one that leaves the signal to others.
  const tell = Object.assign(() => void writeSync(1, 'signal\\n'), { [Symbol.for('hookline.tidies-up')]: true });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, tell);
  const service = (line) => appendFileSync(folder + '/wandb', line + '\\n');
  const client = { init: () => ({
    log: (values, step) => 'batch/loss' in values && service(step - 1),
    finish: async (code) => service('finished with ' + code),
  }) };
  const last = { name: 'checkpoint', onTrainBatchEnd(ctx, { batchIndex }) {
    writeSync(1, batchIndex + '\\n');
    if (batchIndex === 99) endings[atBatch100]?.();
  } };
  const { trainer } = tinyRun([
    ...logging({ backends: {
      'console-log': { every: 1, write: (text) => appendFileSync(folder + '/console', text) },
      'json-log': { every: 1, file: folder + '/log.jsonl' },
      'csv-log': { every: 1, file: folder + '/log.csv' },
      tensorboard: { every: 1, dir: folder + '/tb' },
      mlflow: { every: 1, uri },
      wandb: { every: 1, client },
    } }),
    last,
  ], JSON.parse(options));
  const { status } = await trainer.fit({ train: samples(6_000), epochs: 1, batchSize: 2, shuffle: false });
  writeSync(1, status + '\\n');
`;

async function endedProcess({
  signal,
  atBatch100 = '',
  ...options
}: {
  signal?: NodeJS.Signals;
  atBatch100?: string;
  signals?: boolean;
}): Promise<{ printed: string[]; ended: unknown[] }> {
  const packageRoot = fileURLToPath(new URL('..', import.meta.url));
  const program = await bundledProgram(TRAINING_PROCESS, packageRoot);
  const args = [program, folder.path, server.uri, JSON.stringify(options), atBatch100];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  let sent = false;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    if (sent || !signal || output.split('\n').length < 100) return;
    sent = true;
    child.kill(signal);
  });
  const ended = await once(child, 'close');
  return { printed: output.trim().split('\n'), ended };
}

const linesOf = async (name: string) => (await readFile(folder.in(name), 'utf8')).trim().split('\n');

/** The batches in each log. */
async function loggedBatches(): Promise<Record<string, number[]>> {
  const json = (await linesOf('log.jsonl')).map((line) => JSON.parse(line));
  const csv = csvObjects(await readFile(folder.in('log.csv'), 'utf8'));
  const board = await boardEvents();
  const points = board.filter(({ values }) => values.some(({ tag }) => tag === 'batch/loss'));
  return {
    json: json.filter(({ event }) => event === 'batch').map(({ batch }) => batch),
    csv: csv.filter(({ event }) => event === 'batch').map(({ step }) => Number(step) - 1),
    tensorboard: points.map(({ step }) => step - 1),
    mlflow: Object.keys(server.curve('batch/loss')).map((step) => Number(step) - 1),
    wandb: (await linesOf('wandb')).filter((line) => /^\d/.test(line)).map(Number),
    console: (await linesOf('console'))
      .flatMap((line) => / {2}batch +(\d+)\//.exec(line)?.[1] ?? [])
      .map((n) => Number(n) - 1),
  };
}

async function boardEvents(): Promise<ReturnType<typeof decodeEventFile>> {
  const [file] = await readdir(folder.in('tb'));
  return decodeEventFile(await readFile(folder.in('tb', file!)));
}

function expectAll(logs: Record<string, number[]>, count: number): void {
  for (const [name, batches] of Object.entries(logs)) {
    expect(batches, name).toEqual(Array.from({ length: batches.length }, (_, i) => i));
    expect(batches.length, name).toBeGreaterThanOrEqual(count);
  }
}

test.each(someOf(['SIGINT', 'SIGTERM'] as const, 1))(
  'a process that %s ends has every batch until then in every log, and no run that seems to go on',
  async (signal) => {
    const { printed, ended } = await endedProcess({ signal, signals: false });
    expect(ended).toEqual([null, signal]);
    const count = printed.indexOf('signal');
    expect(count).toBeGreaterThanOrEqual(99);
    expectAll(await loggedBatches(), count);
    expect(server.status).toBe('KILLED');
    expect(server.tags['hookline.stop-reason']).toBe(signal);
    expect((await linesOf('wandb')).at(-1)).toBe('finished with 1');
    expect((await linesOf('console')).at(-1)).toMatch(
      new RegExp(`^killed by ${signal} in epoch 1/1, after \\d+ steps`),
    );
    expect(JSON.parse((await linesOf('log.jsonl')).at(-1)!)).toMatchObject({
      level: 'warn',
      event: 'killed',
      signal,
    });
    expect((await boardEvents()).flatMap(({ values }) => values.flatMap(({ text = [] }) => text))).toContain(
      `killed by ${signal}`,
    );
  },
);

test('where the trainer handles the signal and stops the run, logs are complete to the end', async () => {
  const { printed, ended } = await endedProcess({ signal: 'SIGINT' });
  expect(ended).toEqual([130, null]);
  expect(printed.at(-1)).toBe('stopped');
  const count = printed.length - 2;
  for (const [name, batches] of Object.entries(await loggedBatches()))
    expect(batches, name).toEqual(Array.from({ length: count }, (_, i) => i));
  expect(JSON.parse((await linesOf('log.jsonl')).at(-1)!)).toMatchObject({
    event: 'end',
    status: 'stopped',
    stopReason: 'SIGINT',
  });
  expect(server.status).toBe('KILLED');
  expect(server.tags['hookline.stop-reason']).toBe('SIGINT');
});

const ENDINGS = [
  ['an error that nobody catches', 1, 'FAILED'],
  ['a call of process.exit', 0, 'KILLED'],
] as const;

test.each(someOf(ENDINGS, 1))(
  'after %s every batch is in the files and on the tracking server',
  async (atBatch100, code, status) => {
    const { ended } = await endedProcess({ atBatch100, signals: false });
    expect(ended).toEqual([code, null]);
    // What a client of somebody else's has not sent by then is not ours to send.
    const { wandb: _wandb, ...logs } = await loggedBatches();
    expectAll(logs, 100);
    expect(server.violations).toEqual([]);
    expect(server.status).toBe(status);
  },
);

test('a process that ends before the tracking server has answered loses nothing there', async () => {
  let release = () => {};
  const searched = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.onRequest = async ({ path }) => {
    if (path === 'runs/search') release();
    if (path === 'runs/create') await searched;
    return undefined;
  };
  const { ended } = await endedProcess({ atBatch100: 'a call of process.exit that says 3', signals: false });
  expect(ended).toEqual([3, null]);
  expect(server.violations).toEqual([]);
  const { mlflow } = await loggedBatches();
  expectAll({ mlflow: mlflow! }, 100);
  expect(server.params).toMatchObject({ seed: '3' });
  expect(server).toMatchObject({ runs: 1, status: 'FAILED' });
});
