import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** Says which process something belongs to; short enough for the name of a file. */
export interface ProcessMark {
  /** The machine; on Linux also its boot and the space in which its process ids mean anything (a container has its own). */
  readonly host: string;
  readonly pid: number;
  /** When it began: ids are used again, in containers by the very next process. 0 when the system does not tell. */
  readonly start: number;
}

/** As it stands in the name of a file. */
export const MARK_PATTERN = '([0-9a-f]{8})-([0-9]+)-([0-9]+)';

/** Clocks are put right; a start that was measured twice need not be the same to the second. */
const CLOCK_SECONDS = 60;

export function thisProcess(): ProcessMark {
  const { pid, platform } = process;
  return { host: thisHost(), pid, start: platform === 'linux' ? ticksAtStart(pid) : secondsAtStart() };
}

export function markText({ host, pid, start }: ProcessMark): string {
  return `${host}-${pid}-${start}`;
}

export function parseMark([host, pid, start]: readonly (string | undefined)[]): ProcessMark {
  return { host: host!, pid: Number(pid), start: Number(start) };
}

/** `elsewhere` when this machine cannot know. */
export function fateOf({ host, pid, start }: ProcessMark): 'alive' | 'dead' | 'elsewhere' {
  if (host !== thisHost()) return 'elsewhere';
  if (!hasProcess(pid)) return 'dead';
  if (process.platform === 'linux') {
    const found = ticksAtStart(pid);
    return found === start || found === 0 || start === 0 ? 'alive' : 'dead';
  }
  const isBeforeBoot = start < Date.now() / 1000 - uptime() - CLOCK_SECONDS;
  const isOther = pid === process.pid && Math.abs(start - secondsAtStart()) > CLOCK_SECONDS;
  return isBeforeBoot || isOther ? 'dead' : 'alive';
}

function thisHost(): string {
  const parts = [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}

function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Other answers mean that there is one, of somebody else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Linux tells when a process began, in ticks since boot; -1 for one that has ended and that nobody has looked after. */
function ticksAtStart(pid: number): number {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '';
  // The name of the program comes second, in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? -1 : Number(fields[19] ?? 0);
}

function secondsAtStart(): number {
  return Math.round(Date.now() / 1000 - process.uptime());
}

/** Undefined where there is no such thing. Other failures are told: a wrong mark would make the living look dead. */
function attempt(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (['EACCES', 'ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
