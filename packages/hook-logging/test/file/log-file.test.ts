import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile, PLAIN_LINES } from '../../src/file/log-file.js';
import { logRun } from './log-run.js';

let folder: string;
let warnings: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-log-'));
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const logFile = (path: string) => new LogFile(path, PLAIN_LINES, logRun(warnings));
const lines = async (path: string) => (await readFile(path, 'utf8')).split('\n').slice(0, -1);
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`);

test('closing waits for every line, in order, and creates the folder when there is none', async () => {
  const path = join(folder, 'a/b/log.jsonl');
  const file = logFile(path);
  for (const line of numbered(5000)) file.write(`${line}\n`);
  await file.close();
  expect(await lines(path)).toEqual(numbered(5000));
  expect(warnings).toEqual([]);
});

test('lines are appended to what is there', async () => {
  const path = join(folder, 'log.jsonl');
  await writeFile(path, 'of the first run\n');
  const file = logFile(path);
  file.write('of the second\n');
  await file.close();
  expect(await lines(path)).toEqual(['of the first run', 'of the second']);
});

test('a line that a killed process left half written is not joined with the next', async () => {
  const path = join(folder, 'log.jsonl');
  await writeFile(path, 'whole\nha');
  const file = logFile(path);
  file.write('next\n');
  await file.flush();
  file.write('one more\n');
  await file.close();
  expect(await lines(path)).toEqual(['whole', 'ha', 'next', 'one more']);
});

test('a file that is never written to is not created', async () => {
  const file = logFile(join(folder, 'log.jsonl'));
  await file.close();
  await expect(stat(join(folder, 'log.jsonl'))).rejects.toThrow('ENOENT');
});

test('a folder that cannot be made warns once and drops the rest', async () => {
  await writeFile(join(folder, 'file'), '');
  const file = logFile(join(folder, 'file/log.jsonl'));
  for (let round = 0; round < 3; round++) {
    file.write('lost\n');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await file.close();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/Cannot write .*log\.jsonl: /);
});

test('a full disk warns once and drops the rest', async () => {
  const file = logFile('/dev/full');
  for (let round = 0; round < 3; round++) {
    file.write('lost\n');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await file.close();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('/dev/full');
});

test('a folder that vanishes is reported, and the log continues in a new one', async () => {
  const path = join(folder, 'run/log.jsonl');
  const file = logFile(path);
  file.write('before\n');
  while ((await stat(path).catch(() => ({ size: 0 }))).size === 0);
  await rm(dirname(path), { recursive: true });
  file.write('after\n');
  await file.close();
  expect(await lines(path)).toEqual(['after']);
  expect(warnings).toEqual([expect.stringContaining('was removed')]);
});

test('a disk that does not keep up costs a bounded amount of memory, and is reported once', async () => {
  const path = join(folder, 'log.jsonl');
  const file = logFile(path);
  const line = `${'x'.repeat(2 ** 20 - 1)}\n`;
  // Nothing is awaited, so that nothing can be written meanwhile.
  for (let i = 0; i < 20; i++) file.write(line);
  await file.close();
  expect((await stat(path)).size).toBe(8 * 2 ** 20);
  expect(warnings).toEqual([expect.stringContaining('too slow')]);
});

test('a disk that does not answer holds up the end of the run no longer than it may', async () => {
  const path = join(folder, 'pipe');
  // Opening a pipe that nobody reads waits, as a network drive that is gone does.
  spawnSync('sh', ['-c', 'mkfifo "$0"', path]);
  const file = new LogFile(path, PLAIN_LINES, logRun(warnings), 20);
  file.write('line\n');
  await expect(file.close()).rejects.toThrow(`did not accept the rest of ${path} within 20 ms`);
  expect(await readFile(path, 'utf8')).toBe('line\n'); // somebody reads: what waits in the system is written
});

test('nothing keeps listening after closing', async () => {
  const before = process.listenerCount('exit');
  const file = logFile(join(folder, 'log.jsonl'));
  file.write('line\n');
  await file.close();
  expect(process.listenerCount('exit')).toBe(before);
});

/** How to start a process that writes to a log file. */
async function writing(path: string, code: string, options = '{}'): Promise<string[]> {
  const program = `
    import { LogFile, PLAIN_LINES } from './src/file/log-file.ts';
    const file = new LogFile(process.argv[2], PLAIN_LINES, ${options});
    ${code}
  `;
  return [await bundledProgram(program, fileURLToPath(new URL('../..', import.meta.url))), path];
}

test('a process that exits or crashes at any moment has written every line', async () => {
  for (const [name, ending, status] of [
    ['exit', 'process.exit(4)', 4],
    ['crash', 'throw new Error("crash")', 1],
  ] as const) {
    for (const wait of ['', 'await new Promise((resolve) => setTimeout(resolve, 30));']) {
      const path = join(folder, `${name}${wait.length}/log.jsonl`);
      const args = await writing(
        path,
        `for (let i = 0; i < 500; i++) file.write('line ' + i + '\\n'); ${wait}
        for (let i = 500; i < 1000; i++) file.write('line ' + i + '\\n'); ${ending};`,
      );
      expect(spawnSync(process.execPath, args).status).toBe(status);
      expect((await lines(path)).sort(), `${name} ${wait}`).toEqual(numbered(1000).sort());
    }
  }
});

test('a disk that is full in the middle of a line warns once, and the log ends with a whole line', async () => {
  const path = join(folder, 'full.jsonl');
  const args = await writing(
    path,
    `for (let i = 0; i < 2000; i++) {
      file.write('line ' + i + '\\n');
      await file.flush();
    }
    await file.close();`,
    '{ fail: (reason) => console.log(reason) }',
  );
  // No file of this process may be larger than a few blocks: the system takes a part of the line that goes beyond.
  const limited = ['-c', 'ulimit -f 3; exec "$@"', 'sh', process.execPath, ...args];
  const { status, stdout } = spawnSync('sh', limited, { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout.trim()).toMatch(/^Cannot write .*full\.jsonl: EFBIG.*$/);
  const kept = await lines(path);
  expect(kept.length).toBeGreaterThan(100);
  expect(await readFile(path, 'utf8')).toBe(`${numbered(kept.length).join('\n')}\n`);
});

test('lines reach the disk while the process runs: one that is killed has written them', async () => {
  const path = join(folder, 'killed.jsonl');
  const args = await writing(
    path,
    `for (const i of [0, 1, 2]) file.write('line ' + i + '\\n'); setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  while ((await lines(path).catch(() => [])).length < 3)
    await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(await lines(path)).toEqual(numbered(3));
});
