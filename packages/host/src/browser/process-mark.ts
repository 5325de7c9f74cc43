import type { Fate, ProcessMark } from '../contract.js';

/** All pages and workers of a site share one storage, and can see which of them live. */
const HOST = '0b0b0b0b';

const MINE: ProcessMark = {
  host: HOST,
  pid: crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1,
  start: Math.floor(Date.now() / 1000),
};

let announced: Promise<void> | undefined;
/** As of the last look; undefined where nobody can tell. */
let living: ReadonlySet<string> | undefined;

export function thisProcess(): ProcessMark {
  return MINE;
}

/** As of the last time that a folder or file was read. */
export function fateOf(mark: ProcessMark): Fate {
  if (mark.host !== HOST) return 'elsewhere';
  const name = lockOf(mark);
  if (name === lockOf(MINE)) return 'alive';
  if (living === undefined) return 'elsewhere';
  return living.has(name) ? 'alive' : 'dead';
}

/** What people call the owner of a mark. */
export function ownerName(mark: ProcessMark): string {
  return mark.host === HOST ? 'another tab or worker of this site' : `process ${mark.pid}`;
}

/**
 * Holds a lock for as long as this page or worker lives; the browser releases it however that ends. Pages without
 * secure context have none: then others watch for heartbeats.
 */
export function announce(): Promise<void> {
  announced ??= new Promise((resolve) => {
    const { locks } = navigator;
    if (locks === undefined) return resolve();
    locks
      .request(lockOf(MINE), () => {
        resolve();
        return new Promise(() => {});
      })
      .catch(() => resolve());
  });
  return announced;
}

/** Learns which pages and workers live now. */
export async function lookAround(): Promise<void> {
  try {
    const { held = [] } = await navigator.locks.query();
    living = new Set(held.map(({ name }) => name ?? ''));
  } catch {
    living = undefined;
  }
}

function lockOf({ host, pid, start }: ProcessMark): string {
  return `hookline-${host}-${pid}-${start}`;
}
