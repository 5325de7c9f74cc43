import { HooklineError } from '@hookline/hook-api';
import type { Collective } from '../../src/index.js';

/** What a rank gave to the call that is under way. */
interface Round {
  readonly given: unknown[];
  count: number;
  readonly done: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/** Ranks in one process that take turns at every call: nothing but the promises of a collective. */
export function ranksInProcess(world: number): Collective[] {
  let failure: Error | undefined;
  const rounds: Round[] = [];
  const calls = Array.from({ length: world }, () => 0);
  const meet = async <Value>(rank: number, value: Value): Promise<Value[]> => {
    if (failure) throw failure;
    const call = calls[rank]!++;
    rounds[call] ??= newRound(world);
    const round = rounds[call];
    round.given[rank] = value;
    round.count++;
    if (round.count === world) round.resolve();
    await round.done;
    return round.given as Value[];
  };
  return Array.from({ length: world }, (_, rank) => ({
    rank,
    world,
    sum: async (values) => {
      const all = await meet(rank, Float32Array.from(values));
      values.fill(0);
      for (const each of all)
        for (let index = 0; index < values.length; index++) values[index] = values[index]! + each[index]!;
    },
    gather: (text) => meet(rank, text),
    broadcast: async (bytes) => (await meet(rank, bytes))[0]!,
    abort: (reason) => {
      failure ??= new HooklineError('RANK_FAILED', `Rank ${rank} failed: ${reason}`);
      for (const round of rounds) if (round.count < world) round.reject(failure);
    },
  }));
}

function newRound(world: number): Round {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const done = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  done.catch(() => {});
  return { given: Array.from({ length: world }), count: 0, done, resolve, reject };
}
