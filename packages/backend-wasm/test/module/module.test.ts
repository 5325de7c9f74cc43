import { describe, expect, it } from 'vitest';
import { BenchMemory } from '../native/bench-memory.js';
import { differences, PLAIN } from './against-plain.js';

/** A share of convFilterGradient, of which the tests of shares put all together; and no functions of numbers. */
const OTHERS = ['convFilterGradientPart', 'memory', 'useWorkspace', 'workspaceBytes'];

const BENCHES = { 'with FMA': await BenchMemory.create(), 'without FMA': await BenchMemory.create(false) };

// The proof draws many more.
describe.each(Object.entries(BENCHES))('the module %s', (_name, bench) => {
  it('has a plain counterpart for every function', () => {
    const own = Object.keys(bench.module).filter((name) => !OTHERS.includes(name));
    expect(own.sort()).toEqual(Object.keys(PLAIN).sort());
  });

  it.each(Object.keys(PLAIN))('%s computes what plain arithmetic does, and writes nowhere else', (name) => {
    expect(differences(bench, name, [0, 1, 2, 3, 4, 5])).toEqual([]);
  });
});
