import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as browser from '../src/host/browser.js';
import * as node from '../src/host/node.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe.each([
  ['the browser half', browser],
  ['the half of Node', node],
])('%s', (_name, host) => {
  test('makes random names that are hexadecimal, as long as asked for, and not the same', () => {
    expect(host.randomHex(6)).toMatch(/^[0-9a-f]{12}$/);
    expect(host.randomHex(0)).toBe('');
    expect(new Set(Array.from({ length: 100 }, () => host.randomHex(8))).size).toBe(100);
  });

  test('gives memory that is as long as its buffer', () => {
    const memory = host.newMemory(1000);
    expect([memory.length, memory.byteOffset, memory.buffer.byteLength]).toEqual([1000, 0, 1000]);
  });

  test('sleeps until it is over, or told to stop', async () => {
    await host.sleep(1);
    const stop = new AbortController();
    const sleeping = host.sleep(1e6, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow();
    await expect(host.sleep(1e6, stop.signal)).rejects.toThrow();
  });

  test('keeps nothing at a signal once a sleep is over', async () => {
    const { signal } = new AbortController();
    for (let round = 0; round < 5; round++) await host.sleep(0, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('says who it is', () => {
    expect(host.hostName()).not.toBe('');
    expect(host.userAgent()).not.toBe('');
    expect(host.isAbsolute(host.currentFolder())).toBe(true);
  });
});

describe('the browser half', () => {
  test('has no environment, no signals and no columns', () => {
    expect(browser.environment('PATH')).toBeUndefined();
    expect(browser.environmentVariables()).toEqual({});
    const listener = vi.fn();
    browser.processEvents.on('SIGINT', listener);
    browser.processEvents.raise('SIGINT');
    expect(browser.processEvents.listeners('SIGINT')).toEqual([]);
    browser.processEvents.off('SIGINT', listener);
    expect(listener).not.toHaveBeenCalled();
    expect([browser.standardOutput().isTTY, browser.standardError().columns]).toEqual([undefined, undefined]);
  });

  test('writes text as lines of the console, without the break that the console adds', () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    const done = vi.fn();
    browser.standardOutput().write('one\ntwo\n', done);
    browser.standardError().write('\n');
    expect(log.mock.calls).toEqual([['one\ntwo']]);
    expect(done).toHaveBeenCalledOnce();
  });

  test('is named by its address, where there is one', () => {
    vi.stubGlobal('location', { host: 'example.org' });
    vi.stubGlobal('navigator', { userAgent: 'Mosaic' });
    expect([browser.hostName(), browser.userAgent()]).toEqual(['example.org', 'Mosaic']);
    vi.stubGlobal('location', undefined);
    vi.stubGlobal('navigator', undefined);
    expect([browser.hostName(), browser.userAgent()]).toEqual(['this browser', 'a browser']);
  });

  test('flushes data while writing continues, and everything when asked', async () => {
    const handle = { sync: vi.fn(async () => {}), datasync: vi.fn(async () => {}) };
    await browser.flush(handle as never, { dataOnly: true });
    expect([handle.sync.mock.calls.length, handle.datasync.mock.calls.length]).toEqual([0, 1]);
    await browser.flush(handle as never);
    expect(handle.sync).toHaveBeenCalledOnce();
  });
});

describe('the half of Node', () => {
  test('reads the environment as it is now', () => {
    vi.stubEnv('HOOKLINE_HOST_TEST', 'yes');
    expect(node.environment('HOOKLINE_HOST_TEST')).toBe('yes');
    expect(node.environmentVariables().HOOKLINE_HOST_TEST).toBe('yes');
    vi.unstubAllEnvs();
    expect(node.environment('HOOKLINE_HOST_TEST')).toBeUndefined();
  });

  test('hears events of the process until it no longer wants to', () => {
    const heard = vi.fn();
    node.processEvents.on('hookline-test', heard);
    expect(node.processEvents.listeners('hookline-test')).toEqual([heard]);
    process.emit('hookline-test' as never, 'now' as never);
    node.processEvents.off('hookline-test', heard);
    process.emit('hookline-test' as never, 'later' as never);
    expect(heard.mock.calls).toEqual([['now']]);
  });

  test('knows how much is free, and does not guess where there is nothing', async () => {
    expect(await node.freeSpace(import.meta.dirname)).toBeGreaterThan(0);
    expect(await node.freeSpace('/no/such/folder')).toBeUndefined();
  });

  test('flushes by the descriptor under Yarn, whose handles cannot', async () => {
    const handle = await node.open(import.meta.filename, 'r');
    vi.stubGlobal('process', { ...process, versions: { ...process.versions, pnp: '3' } });
    const { fd } = handle as unknown as { fd: number };
    await node.flush({ fd } as never);
    await node.flush({ fd } as never, { dataOnly: true });
    vi.unstubAllGlobals();
    await handle.close();
  });
});

describe('marks of processes in Node', () => {
  test('this one lives, also for another that asks; one that has ended does not', () => {
    const mark = node.thisProcess();
    expect(mark).toMatchObject({ pid: process.pid, host: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(node.fateOf(mark)).toBe('alive');
    const { pid } = spawnSync(process.execPath, ['--version']);
    expect(node.fateOf({ ...mark, pid })).toBe('dead');
    expect(node.ownerName(mark)).toBe(`process ${process.pid}`);
  });

  test.runIf(process.platform === 'linux')('an id that was used again is another process', () => {
    const mark = node.thisProcess();
    expect(node.fateOf({ ...mark, start: mark.start + 100 })).toBe('dead');
    // A system that did not tell when it began.
    expect(node.fateOf({ ...mark, start: 0 })).toBe('alive');
  });

  test('where the system does not tell when a process began, clocks do, within a minute', () => {
    const { value: platform } = Object.getOwnPropertyDescriptor(process, 'platform')!;
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    try {
      const mark = node.thisProcess();
      expect(Math.abs(mark.start - (Date.now() / 1000 - process.uptime()))).toBeLessThan(2);
      const fate = (more: Partial<typeof mark>) => node.fateOf({ ...mark, ...more });
      expect([fate({}), fate({ start: mark.start + 30 }), fate({ start: mark.start - 30 })]).toEqual(
        Array(3).fill('alive'),
      );
      // The id of this process, used by another one before.
      expect(fate({ start: mark.start - 120 })).toBe('dead');
      // Before the machine was started; of the parent, nothing else is known.
      expect([fate({ pid: process.ppid, start: 1 }), fate({ pid: process.ppid })]).toEqual(['dead', 'alive']);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });

  test('of another machine nothing is known', () => {
    expect(node.fateOf({ ...node.thisProcess(), host: '00000000' })).toBe('elsewhere');
    expect(node.fateOf(browser.thisProcess())).toBe('elsewhere');
  });

  // Not every container has an id.
  test.runIf(node.thisProcess().boot)('whoever began before the machine was started again is gone', () => {
    const { boot, ...mark } = { ...node.thisProcess(), host: '00000000' };
    expect(node.fateOf({ ...mark, boot: { ...boot!, boot: '00000000' } })).toBe('dead');
    expect(node.fateOf({ ...mark, boot: { machine: '00000000', boot: '00000000' } })).toBe('elsewhere');
    // As long as it runs, another container of it is like another machine.
    expect(node.fateOf({ ...mark, boot })).toBe('elsewhere');
  });

  test.runIf(process.platform === 'linux')('a thread has its own, and dies alone', async () => {
    const code = `
      const { readlinkSync } = require('node:fs');
      const { parentPort } = require('node:worker_threads');
      parentPort.postMessage(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));
      parentPort.once('message', () => process.exit());`;
    const worker = new Worker(code, { eval: true });
    const pid: number = await new Promise((resolve) => worker.once('message', resolve));
    expect(node.fateOf({ ...node.thisProcess(), pid, start: 0 })).toBe('alive');
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('end');
    await ended;
    expect(node.fateOf({ ...node.thisProcess(), pid, start: 0 })).toBe('dead');
  });
});
