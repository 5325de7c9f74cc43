import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { startTrial } from '../../src/trial/start-trial.js';
import { fakeProgram, taskIn } from './fake-program.js';

const folder = folderPerTest();
const task = () => taskIn(folder.in('trial'));
const start = (body: string, signal = new AbortController().signal) =>
  startTrial(task(), signal, fakeProgram(folder.path, body));

test('the process gets its task, and what it leaves is the outcome', async () => {
  const end = await start('console.log("lr", task.point.lr); console.error("careful"); reach(0.5);');
  expect(end).toEqual({ outcome: { value: 0.5, epochs: 3, steps: 12, seconds: 1, finished: false } });
  expect(readFileSync(folder.in('trial/output.log'), 'utf8')).toBe('lr 0.1\ncareful\n');
  expect(readdirSync(folder.in('trial')).sort()).toEqual(['outcome.json', 'output.log']);
});

test.each([
  ['leaves an error', 'leave({ error: "no such data" }); process.exitCode = 1;', { error: 'no such data' }],
  [
    'ends without a word',
    'process.exitCode = 7;',
    { error: 'the process ended with exit code 7 and left no result; see output.log' },
  ],
  ['is killed', 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);', 'interrupted'],
  ['ends as programs do after a signal', 'process.exitCode = 143;', 'interrupted'],
])('a process that %s', async (_what, body, end) => {
  expect(await start(body)).toEqual(end);
});

test('a value that is not a number comes back as one that is not a number', async () => {
  const end = await start('reach(NaN);');
  expect((end as { outcome: { value: number } }).outcome.value).toBeNaN();
});

test('the outcome of a rung before is not taken for that of this one', async () => {
  mkdirSync(folder.in('trial'));
  writeFileSync(folder.in('trial/outcome.json'), '{ "value": 1 }');
  expect(await start('process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);')).toBe(
    'interrupted',
  );
  expect(existsSync(folder.in('trial/outcome.json'))).toBe(false);
});

test('the end of the sweep is passed on, also when it came before the process', async () => {
  const ending = new AbortController();
  ending.abort();
  expect(await start('setInterval(() => {}, 1000);', ending.signal)).toBe('interrupted');
});
