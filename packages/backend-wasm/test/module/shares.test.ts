import { describe, expect, it } from 'vitest';
import { MOST_PARTS, PART_NUMBERS } from '../../src/threads/board.js';
import { SPLITTERS } from '../../src/threads/splitters.js';
import type { Call } from '../../src/threads/team.js';
import { numbers } from '../backends.js';
import { ARENA_FLOATS, SPLIT_CASES, type SplitCase } from '../cases/split.js';
import { BenchMemory } from '../native/bench-memory.js';

const bench = await BenchMemory.create();
const functions = bench.module as unknown as Record<string, (...args: (number | boolean)[]) => void>;
const next = numbers(3);
const arena = Math.ceil(bench.floats(ARENA_FLOATS, () => next() * 2 - 1) / 64) * 64;
const before = bench.snapshot();

/** As many as a machine may have; the tests of threads compute with three. */
const TEAMS = [2, 4, 5, 8, 16];

/** What is in memory after these calls, without what they leave in the room that they compute in. */
function after({ scratch }: SplitCase, name: string, calls: readonly Call[]): Buffer {
  bench.restore(before);
  for (const call of calls) functions[name]!(...call);
  const snapshot = bench.snapshot();
  for (const [address, floats] of scratch?.(arena) ?? [])
    snapshot.fill(0, bench.place(address), bench.place(address) + floats);
  return Buffer.from(snapshot.buffer);
}

describe('the shares of an operation', () => {
  it.each(SPLIT_CASES.map((each) => [each.title, each] as const))(
    'are independent, and together they are all of it: %s',
    (_title, splitCase) => {
      const args = splitCase.args(arena);
      const whole = after(splitCase, splitCase.name, [args]);
      for (const threads of TEAMS.filter((count) => !splitCase.scratch || count <= 3)) {
        const { name, calls } = SPLITTERS.get(splitCase.name)!.split(args, threads);
        // Whoever is free takes the next share: any order must do.
        const backwards = after(splitCase, name, [...calls].reverse());
        expect(backwards.equals(whole), `${threads} threads`).toBe(true);
      }
    },
  );

  it.each([...SPLITTERS.keys()])('fit on the board, with as many threads as there may be: %s', (name) => {
    for (const splitCase of SPLIT_CASES.filter((each) => each.name === name)) {
      for (const threads of [1, 2, 3, 7, 16]) {
        const { name: part, calls } = SPLITTERS.get(name)!.split(splitCase.args(arena), threads);
        expect(calls.length).toBeGreaterThan(0);
        expect(calls.length).toBeLessThanOrEqual(MOST_PARTS);
        for (const call of calls) expect(call.length + 2).toBeLessThanOrEqual(PART_NUMBERS);
        expect(functions[part]).toBeTypeOf('function');
      }
    }
  });

  it.each([...SPLITTERS.keys()])('take longer, by estimate, the more there is to do: %s', (name) => {
    const { cost } = SPLITTERS.get(name)!;
    const estimate = (args: readonly number[]) => {
      const each = typeof cost.nanoseconds === 'number' ? cost.nanoseconds : cost.nanoseconds[args[0]!]!;
      return cost.units.reduce((product, unit) => product * args[unit]!, each);
    };
    const args = SPLIT_CASES.find((each) => each.name === name)!.args(arena);
    expect(estimate(args)).toBeGreaterThan(0);
    for (const unit of cost.units) {
      const twice = args.map((value, i) => (i === unit ? value * 2 : value));
      expect(estimate(twice)).toBeGreaterThanOrEqual(2 * estimate(args));
    }
  });
});
