import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test, vi } from 'vitest';
import { type ProcessOwner, thisOwner } from '../../src/journal/owner.js';
import { startTrial } from '../../src/trial/start-trial.js';
import { endPredecessor, readProcess, writeProcess } from '../../src/trial/trial-process.js';
import { taskIn } from './fake-program.js';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const folder = folderPerTest();
const here = thisOwner();

test('a folder without a trace of a process is free at once', async () => {
  expect(readProcess(folder.path)).toBeUndefined();
  await endPredecessor(folder.path);
});

test.each<[string, Partial<ProcessOwner>]>([
  ['has ended', { pid: 2 ** 22 + 1 }],
  ['had the number that this process has now', { start: here.start - 1 }],
  ['was on another machine, where its number says nothing', { machine: 'elsewhere' }],
  ['was there before the machine was started again', { host: '00000000' }],
])('a process that %s is forgotten, and nobody is killed', async (_what, owner) => {
  writeProcess(folder.path, { ...here, ...owner });
  await endPredecessor(folder.path);
  expect(readProcess(folder.path)).toBeUndefined();
});

test('a process that may be any program is not killed, and the error says what to do', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    writeProcess(folder.path, { ...here, pid: other.pid!, start: 0 });
    const error = await errorOf(() => endPredecessor(folder.path, 1));
    expect(error.code).toBe('TRIAL_TAKEN');
    expect(error.message).toBe(
      `Process ${other.pid} seems to train in ${folder.path}. End it; if it is another program, remove process.json there.`,
    );
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  } finally {
    other.kill('SIGKILL');
  }
});

test('a process that is surely the trial, and does not end by itself, is ended', async () => {
  const program = await bundledProgram(STUBBORN, PACKAGE);
  const left = startTrial(taskIn(folder.path), new AbortController().signal, program);
  await vi.waitUntil(() => (readProcess(folder.path)?.start ?? 0) > 0, { interval: 5, timeout: 200_000 });
  await endPredecessor(folder.path, 1);
  expect(await left).toBe('interrupted');
});

/** Writes its mark, as the program of a trial does, and does not end. */
const STUBBORN = `
  import { thisOwner } from './src/journal/owner.ts';
  import { writeProcess } from './src/trial/trial-process.ts';
  process.on('SIGTERM', () => {});
  writeProcess(JSON.parse(process.argv[2]!).folder, thisOwner());
  setInterval(() => {}, 1000);`;
