import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { afterEach, describe, expect, it } from 'vitest';
import { markText } from '../src/node/process-mark.js';
import { fateOf, lockFolder, thisProcess } from '../src/node.js';
import { FailingFs } from './failing-fs.js';
import { temporaryFolders } from './workspace.js';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const newFolder = temporaryFolders();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process of its own that locks the folder and then does nothing. Gives what it said. */
async function lockInProcess(folder: string): Promise<{ child: ChildProcess; said: string }> {
  const file = await bundledProgram(new URL('./locker.ts', import.meta.url), packageRoot);
  const child = spawn(process.execPath, [file, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = await once(child.stdout!, 'data');
  return { child, said: String(said).trim() };
}

function plant(folder: string, mark: string): string {
  const path = join(folder, `.lock-${mark}-0123456789ab`);
  writeFileSync(path, JSON.stringify({ host: 'far-away', pid: 7, since: '2026-01-01T00:00:00.000Z' }));
  return path;
}

describe('lockFolder', () => {
  it('lets one in until it is released', async () => {
    const folder = newFolder();
    const lock = await lockFolder(folder);
    expect(await lock.isHeld()).toBe(true);
    await expect(lockFolder(folder)).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringMatching(`process ${process.pid} since .* Stop it or choose another folder`),
    });
    await lock.release();
    expect(await lock.isHeld()).toBe(false);
    await (await lockFolder(folder)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps other processes out, and takes over from one that was killed', async () => {
    const folder = newFolder();
    const { child, said } = await lockInProcess(folder);
    expect(said).toBe('locked');
    await expect(lockFolder(folder)).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`process ${child.pid}`),
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = await lockFolder(folder);
    expect((await lockInProcess(folder)).said).toBe('LOCKED');
    await lock.release();
  });

  it('gives one of many that come at once the lock of a dead process, and never two', async () => {
    const folder = newFolder();
    for (let round = 0; round < 3; round++) {
      const { host, pid, start } = thisProcess();
      plant(folder, markText({ host, pid, start: start + 1 }));
      const results = await Promise.allSettled(Array.from({ length: 4 }, () => lockFolder(folder)));
      const locks = results.filter((result) => result.status === 'fulfilled');
      expect(locks.length).toBeLessThanOrEqual(1);
      for (const { value } of locks) await value.release();
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not take a process for another that had its number', async () => {
    const folder = newFolder();
    const mark = thisProcess();
    plant(folder, markText({ ...mark, start: mark.start + 1 }));
    await (await lockFolder(folder)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('believes another machine that shows life, and takes over from one that does not', async () => {
    const folder = newFolder();
    const path = plant(folder, '00000000-7-7');
    const beat = setInterval(() => utimesSync(path, new Date(), new Date()), 50);
    await expect(lockFolder(folder, { patienceSeconds: 1 })).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining('process 7 on far-away since 2026-01-01'),
    });
    clearInterval(beat);
    const lock = await lockFolder(folder, { patienceSeconds: 0.2 });
    expect(readdirSync(folder)).toHaveLength(1);
    await lock.release();
  });

  it('shows life itself', async () => {
    const folder = newFolder();
    const lock = await lockFolder(folder, { heartbeatSeconds: 0.01 });
    const [name] = readdirSync(folder);
    utimesSync(join(folder, name!), new Date(0), new Date(0));
    await expect.poll(() => statSync(join(folder, name!)).mtimeMs).toBeGreaterThan(0);
    await lock.release();
  });

  it('leaves no lock behind when the disk fails', async () => {
    const folder = newFolder();
    for (const only of ['write', 'sync', 'readdir']) {
      const { fs } = new FailingFs({ nth: 1, code: 'ENOSPC', forGood: false, only });
      await expect(lockFolder(folder, { fs }), only).rejects.toMatchObject({ code: 'FILE_SYSTEM' });
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});

describe('the fate of a process', () => {
  it('is known here: this one lives, one that ended does not, one elsewhere may do either', async () => {
    const mark = thisProcess();
    expect(fateOf(mark)).toBe('alive');
    expect(fateOf({ ...mark, host: '00000000' })).toBe('elsewhere');
    // It may not say when it began.
    expect(fateOf({ ...mark, start: 0 })).toBe('alive');
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(fateOf({ ...mark, pid: child.pid! })).toBe('dead');
  });
});
