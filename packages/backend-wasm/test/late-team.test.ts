import { describe, expect, it, vi } from 'vitest';
import type { ModuleExports } from '../src/module/exports.js';
import { Account } from '../src/threads/account.js';
import { LateTeam } from '../src/threads/late-team.js';
import type { StartedTeam } from '../src/threads/start-team.js';
import { threadedModule } from '../src/threads/threaded-module.js';

/** A team that computes nothing and counts what it is asked for. */
function fakeTeam() {
  const run = vi.fn();
  const end = vi.fn();
  const started = { team: { threads: 2, isAwake: true, run }, end } as unknown as StartedTeam;
  return { started, run, end };
}

/** The second that it waits otherwise is short on a busy machine. */
const PATIENCE = { timeout: 200_000, interval: 1 };

describe('a team that starts late', () => {
  it('does not start before there has been work for it, and then once', async () => {
    const { started } = fakeTeam();
    const start = vi.fn(async () => started);
    const late = new LateTeam(start);
    late.noteAlone(399);
    expect(start).not.toHaveBeenCalled();
    late.noteAlone(1);
    late.noteAlone(1000);
    expect(start).toHaveBeenCalledTimes(1);
    expect(late.team).toBeUndefined();
    await vi.waitUntil(() => late.team === started.team, PATIENCE);
  });

  it('leaves the caller alone where it cannot start, and says nothing', async () => {
    const start = vi.fn(() => Promise.reject(new Error('no workers here')));
    const late = new LateTeam(start);
    late.noteAlone(400);
    await expect(start.mock.results[0]!.value).rejects.toThrow('no workers here');
    late.noteAlone(400);
    expect(late.team).toBeUndefined();
    expect(start).toHaveBeenCalledTimes(1);
  });

  it('ends a team that has started, and one that is about to', async () => {
    const first = fakeTeam();
    const ready = new LateTeam(async () => first.started);
    ready.noteAlone(400);
    await vi.waitUntil(() => ready.team !== undefined, PATIENCE);
    ready.end();
    expect(first.end).toHaveBeenCalledTimes(1);
    expect(ready.team).toBeUndefined();
    const second = fakeTeam();
    const starting = new LateTeam(async () => second.started);
    starting.noteAlone(400);
    starting.end();
    await vi.waitUntil(() => second.end.mock.calls.length > 0, PATIENCE);
    expect(second.end).toHaveBeenCalledTimes(1);
    expect(starting.team).toBeUndefined();
  });
});

describe('a module with threads', () => {
  const large = [0, 0, 1e6, 1e6, 0, 0];

  it('computes alone until there is a team, and tells how long that took', () => {
    const unary = vi.fn();
    const noteAlone = vi.fn();
    const module = threadedModule({ unary } as unknown as ModuleExports, { team: undefined, noteAlone });
    (module.unary as (...args: number[]) => void)(...large);
    expect(unary).toHaveBeenCalledWith(...large);
    expect(noteAlone).toHaveBeenCalledTimes(1);
    // What is too small to be shared is not work for a team.
    (module.unary as (...args: number[]) => void)(0, 0, 1e6, 100, 0, 0);
    expect(noteAlone).toHaveBeenCalledTimes(1);
  });

  it('shares out what it has measured, once there is a team', () => {
    const { started, run } = fakeTeam();
    const unary = vi.fn();
    const module = threadedModule({ unary } as unknown as ModuleExports, started);
    for (let i = 0; i < 3; i++) (module.unary as (...args: number[]) => void)(...large);
    // Twice alone, to know how long that takes.
    expect(unary).toHaveBeenCalledTimes(2);
    expect(run).toHaveBeenCalledTimes(1);
  });
});

it('threads rest twice as long after each loss, and no longer once they have won again', () => {
  const account = new Account();
  const restOf = (): number => {
    account.noteTogether(-9);
    let milliseconds = 0;
    for (; account.isResting; milliseconds += 50) account.noteAlone(50);
    return milliseconds;
  };
  expect([restOf(), restOf(), restOf()]).toEqual([450, 900, 1800].map((rest) => expect.closeTo(rest, -2)));
  for (let i = 0; i < 20; i++) restOf();
  // A crowded machine loses 9 ms of more than 25 seconds.
  expect(restOf()).toBeGreaterThan(25_000);
  expect(restOf()).toBeLessThan(60_000);
  for (let i = 0; i < 60; i++) account.noteTogether(1);
  account.noteTogether(-60);
  expect(restOf()).toBeLessThan(1000);
});
