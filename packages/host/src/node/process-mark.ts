import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import type { BootMark, Fate, ProcessMark } from '../contract.js';

/** Clocks are put right; a start that was measured twice need not be the same to the second. */
const CLOCK_SECONDS = 60;

/** Every temporary file has it in its name, and it stays the same: the system is asked once. */
let onLinux: ProcessMark | undefined;

export function thisProcess(): ProcessMark {
  if (process.platform !== 'linux') return { host: thisHost(), pid: process.pid, start: secondsAtStart() };
  onLinux ??= markOnLinux();
  return onLinux;
}

function markOnLinux(): ProcessMark {
  const pid = threadId();
  const boot = thisBoot();
  return { host: thisHost(), pid, start: ticksAtStart(pid), ...(boot && { boot }) };
}

/** `elsewhere` when this machine cannot know. */
export function fateOf({ host, pid, start, boot }: ProcessMark): Fate {
  if (host !== thisHost()) return boot && isOver(boot) ? 'dead' : 'elsewhere';
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
  return digest([hostname(), bootId(), attempt(() => readlinkSync('/proc/self/ns/pid'))]);
}

/** Undefined where machines cannot be told apart: many containers have no id, and some share a name. */
function thisBoot(): BootMark | undefined {
  const id = attempt(() => readFileSync('/etc/machine-id', 'utf8').trim());
  const boot = bootId();
  return id && boot !== undefined ? { machine: digest([hostname(), id]), boot: digest([boot]) } : undefined;
}

/** Whether this is the machine, and it was started again since. */
function isOver({ machine, boot }: BootMark): boolean {
  const now = thisBoot();
  return now !== undefined && now.machine === machine && now.boot !== boot;
}

function bootId(): string | undefined {
  return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}

/** On Linux threads have ids like processes, and a worker may die while its process lives. */
function threadId(): number {
  const path = isMainThread ? undefined : attempt(() => readlinkSync('/proc/thread-self'));
  return Number(path?.split('/').at(-1) ?? process.pid);
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
