import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { folderPerTest, someOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import type { RunRecordFile } from '../../src/run/record/run-record-file.js';
import { statusOf } from '../../src/run/record/status-of.js';

const folder = folderPerTest();

/** Trains until its process comes to the end that the second argument names. */
const PROGRAM = `
  import { Trainer } from './src/index.ts';
  import { regression, regressor } from '../../testing/support/src/models.ts';
  const [runsDir, end] = process.argv.slice(2);
  const ends = {
    throws: () => setImmediate(() => { throw new TypeError('nobody catches this'); }),
    exits: () => process.exit(0),
    fails: () => process.exit(7),
    marked: (ctx) => { ctx.markFailed('it is bad'); ctx.stop('enough'); },
  };
  const hook = { name: 'end', onStepEnd: (ctx) => {
    if (ctx.state.step === 3) (ends[end] ?? (() => process.kill(process.pid, end)))(ctx);
  } };
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
  const trainer = new Trainer({ model: regressor(), loss: 'meanSquaredError', hooks: [hook], discover: false, runsDir, backend: 'cpu', logger: quiet });
  await trainer.fit({ train: regression(64), epochs: 1e6, batchSize: 4 });
`;

async function ended(end: string): Promise<{ code: unknown; record: RunRecordFile }> {
  const file = await bundledProgram(PROGRAM, fileURLToPath(new URL('../..', import.meta.url)));
  const child = spawn(process.execPath, [file, folder.path, end], { stdio: 'ignore' });
  const [code, signal] = await once(child, 'exit');
  const [run] = readdirSync(folder.path);
  return { code: code ?? signal, record: JSON.parse(readFileSync(folder.in(run!, 'run.json'), 'utf8')) };
}

const ENDS: [string, string, number, string, string][] = [
  ['an error that nobody catches', 'throws', 1, 'error', 'the process ended with exit code 1'],
  ['process.exit(0)', 'exits', 0, 'stopped', 'the process ended with exit code 0'],
  ['process.exit(7)', 'fails', 7, 'error', 'the process ended with exit code 7'],
  ['a terminal that is closed', 'SIGHUP', 129, 'stopped', 'SIGHUP'],
  ['a hook that counts the run as failed', 'marked', 1, 'stopped', 'enough'],
];

test.each(someOf(ENDS, 3))(
  'after %s the record says how the run ended',
  async (_name, end, exitCode, status, stopReason) => {
    const { code, record } = await ended(end);
    expect(code).toBe(exitCode);
    expect(record).toMatchObject({ status, stopReason, finishedAt: expect.any(String) });
    if (end === 'throws') {
      expect(record.error).toMatchObject({ name: 'TypeError', message: 'nobody catches this' });
    }
    if (end === 'marked') expect(record.failure).toBe('it is bad');
  },
);

/** Waits for something that nobody will settle, and does not wait for `fit` itself: the process then ends at once. */
const IDLE_PROGRAM = `
  import { writeFileSync } from 'node:fs';
  import { Trainer } from './src/index.ts';
  import { regressor } from '../../testing/support/src/models.ts';
  const [folder, what] = process.argv.slice(2);
  async function* endless() {
    yield { xs: [[1, 2, 3]], ys: [[1]] };
    await new Promise(() => {});
  }
  const hook = folder + '/never.mjs';
  writeFileSync(hook, 'await new Promise(() => {}); export default () => ({ name: "never" });');
  const waits = what === 'a module' ? { hooks: [hook] } : {};
  const trainer = new Trainer({ model: regressor(), loss: 'meanSquaredError', discover: false, runsDir: folder + '/runs', backend: 'cpu', ...waits });
  trainer.fit({ train: endless, epochs: 2 }).then(() => console.log('ended well'));
`;

test.each([
  [
    'the next batch',
    /though the fit does not: .* never settles, after step 1, perhaps that of the next batch/,
  ],
  ['a module', /though the fit does not: .* never settles, loading the code of hook ".*never\.mjs"/],
])('a process that ends because %s never comes says so, and is not a success', async (what, message) => {
  const file = await bundledProgram(IDLE_PROGRAM, fileURLToPath(new URL('../..', import.meta.url)));
  const child = spawn(process.execPath, [file, folder.path, what], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      said[stream] += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  expect([code, said.stdout], said.stderr).toEqual([1, '']);
  expect(said.stderr).toMatch(message);
  if (what === 'a module') return;
  const [run] = readdirSync(folder.in('runs'));
  const record = JSON.parse(readFileSync(folder.in('runs', run!, 'run.json'), 'utf8'));
  expect(record).toMatchObject({ status: 'error', stopReason: 'the process ended with exit code 1' });
});

test('a run whose process was killed is told from one that is running', async () => {
  const { code, record } = await ended('SIGKILL');
  expect(code).toBe('SIGKILL');
  expect(record.status).toBe('running');
  expect(statusOf(record)).toBe('died');
  const other = { ...record.process, host: 'elsewhere' };
  expect(statusOf({ ...record, process: other })).toBe('running');
  // Its machine was started again: no process of then is left, whoever has its id now.
  const { boot } = record.process;
  if (boot) {
    const before = { ...other, pid: process.pid, boot: { ...boot, boot: 'earlier' } };
    expect(statusOf({ ...record, process: before })).toBe('died');
  }
});
