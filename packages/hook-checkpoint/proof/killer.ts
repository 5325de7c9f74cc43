import { Worker } from 'node:worker_threads';

/** Strikes this long after this many unfinished saves, pointers or removals were seen. */
export interface Strike {
  seen: number;
  milliseconds: number;
  /** Default SIGKILL. */
  signal?: 'SIGKILL' | 'SIGHUP';
  /** Nothing is counted before this file exists. */
  after?: string;
}

/**
 * Sends this process a signal while it writes. Another thread watches the folder that the run saves to: a
 * signal from outside would come too late on a busy machine, when the save is done.
 */
export function strikeWhileSaving(runsDir: string, strike: Strike): void {
  const killer = new Worker(
    `const { existsSync, readdirSync } = require('node:fs');
    const { join } = require('node:path');
    const { workerData: { runsDir, seen, milliseconds, signal = 'SIGKILL', after } } = require('node:worker_threads');
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const sleep = (time) => time > 0 && Atomics.wait(cell, 0, 0, time);
    const list = (dir) => { try { return readdirSync(dir); } catch { return []; } };
    const temps = new Set();
    // Hundreds of runs were killed before this one, and went on in the folder of the first.
    const dirs = list(runsDir).map((id) => join(runsDir, id, 'checkpoints')).filter(existsSync);
    while (after && !existsSync(after)) sleep(1);
    while (temps.size < seen) {
      for (const dir of dirs) for (const name of list(dir)) if (name.startsWith('.tmp-')) temps.add(name);
      if (temps.size < seen) sleep(0.2);
    }
    sleep(milliseconds);
    process.kill(process.pid, signal);`,
    { eval: true, execArgv: [], workerData: { runsDir, ...strike } },
  );
  killer.unref();
}
