import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FailingFs } from '../test/failing-fs.js';
import { check, codeOfError, save, type Watcher } from './checkpoints.js';
import { Figures, isLong } from './figures.js';
import { SaverProcess } from './saver-process.js';
import { Strace, whyNoStrace } from './strace.js';

/** What fails, and how often: rarely enough to strike each place of a save in turn. */
const CALLS = [
  ['/^open', 17],
  ['pwrite64', 7],
  ['fsync', 11],
  ['/^rename', 5],
  ['/^mkdir', 2],
  ['/^unlink', 5],
  ['/^rmdir', 2],
] as const;
const SAVES = isLong ? 150 : 20;

const figures = new Figures();
let noStrace: string | undefined;
beforeAll(async () => {
  noStrace = await whyNoStrace();
});
afterAll(() => figures.print());

async function inFolder(run: (parent: string) => Promise<void>): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'hookline-fault-'));
  try {
    await run(parent);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

function watcherOf(owed: Set<number>): Watcher {
  return {
    onCommitted: async (step) => void owed.add(step),
    onRemoving: async (step) => void owed.delete(step),
  };
}

/** Everything that has its name is right, and everything that was committed is there. */
async function expectAllOwed(parent: string, owed: ReadonlySet<number>): Promise<void> {
  const steps = await check(parent);
  for (const step of owed) expect(steps, `step ${step} was committed`).toContain(step);
}

it.each(['EIO', 'ENOSPC'])('loses nothing when system calls fail with %s', async (code) => {
  if (noStrace !== undefined) {
    figures.add(`system calls that fail with ${code}`, 0, `not run: ${noStrace}; see the row on node:fs`);
    return;
  }
  for (const [calls, every] of CALLS) {
    await inFolder(async (parent) => {
      const owed = new Set<number>();
      const saver = new SaverProcess('steps', parent, owed);
      const log = join(parent, 'strace.log');
      try {
        await saver.ready();
        const strace = await Strace.attach(saver.child.pid!, calls, `error=${code}`, `1+${every}`, log);
        let failed = 0;
        for (let trial = 0; trial < SAVES; trial++) {
          const outcome = await saver.saveOnce();
          if (outcome?.failed !== undefined) {
            failed++;
            expect(outcome.failed).toContain(code);
          }
          await expectAllOwed(parent, owed);
        }
        await strace.detach();
        const injected = strace.injected();
        expect(injected).toBeGreaterThan(0);
        const name = calls.replace('/^', '');
        figures.add(
          `${name} fails with ${code}, every ${every}. call`,
          SAVES,
          `${injected} calls failed, ${failed} saves said so; 0 wrong, 0 lost`,
        );
      } finally {
        await saver.kill();
      }
    });
  }
});

it('loses nothing when the process is killed at each system call of a save in turn', async () => {
  if (noStrace !== undefined) {
    figures.add('SIGKILL at each system call of a save', 0, `not run: ${noStrace}`);
    return;
  }
  const calls = isLong ? CALLS.map(([name]) => name) : (['fsync', '/^rename'] as const);
  for (const name of calls) {
    let killed = 0;
    for (let isOver = false; !isOver; ) {
      await inFolder(async (parent) => {
        const owed = new Set<number>();
        const saver = new SaverProcess('steps', parent, owed);
        try {
          await saver.ready();
          const pid = saver.child.pid!;
          const strace = await Strace.attach(pid, name, 'signal=KILL', String(killed + 1), '/dev/null');
          isOver = (await saver.saveOnce()) !== undefined;
          if (!isOver) killed++;
          await expectAllOwed(parent, owed);
          await strace.detach();
        } finally {
          await saver.kill();
        }
      });
    }
    expect(killed).toBeGreaterThan(0);
    figures.add(`SIGKILL at each ${name.replace('/^', '')} of a save in turn`, killed, '0 wrong, 0 lost');
  }
});

it.each([
  ['EIO', false],
  ['ENOSPC', false],
  ['EIO', true],
] as const)(
  'loses nothing when the n-th operation of node:fs fails with %s (for good: %s)',
  async (code, forGood) => {
    const before = mkdtempSync(join(tmpdir(), 'hookline-fault-'));
    const owedBefore = new Set<number>();
    for (let step = 1; step <= 5; step++) await save(before, step, watcherOf(owedBefore));
    let operations = 0;
    let failures = 0;
    for (let isOver = false; !isOver; ) {
      await inFolder(async (parent) => {
        cpSync(before, parent, { recursive: true });
        const owed = new Set(owedBefore);
        const watcher = watcherOf(owed);
        const failing = new FailingFs({ nth: operations + 1, code, forGood });
        const error = await save(parent, 6, { ...watcher, fs: failing.fs }).catch((thrown) => thrown);
        if (error !== undefined) {
          failures++;
          expect(codeOfError(error)).toContain(code);
        }
        await expectAllOwed(parent, owed);
        // The next save finds nothing in its way.
        await save(parent, 7, watcher);
        await expectAllOwed(parent, owed);
        const temps = readdirSync(parent).filter((name) => name.startsWith('.tmp-'));
        if (!forGood) expect(temps.length).toBeLessThanOrEqual(1);
        isOver = !failing.hasFailed;
        if (!isOver) operations++;
      });
    }
    rmSync(before, { recursive: true });
    expect(operations).toBeGreaterThan(20);
    figures.add(
      `the n-th operation of node:fs fails with ${code}${forGood ? ', and all after it' : ''}`,
      operations,
      `${failures} saves said so; 0 wrong, 0 lost`,
    );
  },
);
