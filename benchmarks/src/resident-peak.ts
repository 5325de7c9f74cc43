import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Watches how much memory the process takes, after it has given back what it does not need. What comes back tells how
 * many bytes it had more at the height of it. Linux keeps that mark by itself, also while a thread is busy; elsewhere
 * a timer looks.
 */
export async function watchMemory(): Promise<() => number> {
  globalThis.gc?.();
  // Another thread gives it back.
  await setTimeout(100);
  const before = process.memoryUsage.rss();
  const isMarked = resetMark();
  let seen = before;
  const look = () => {
    seen = Math.max(seen, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 5);
  return () => {
    look();
    clearInterval(timer);
    return Math.max(seen, isMarked ? readMark() : 0) - before;
  };
}

function resetMark(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return true;
  } catch {
    return false;
  }
}

function readMark(): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
