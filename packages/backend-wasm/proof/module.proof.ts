import { describe, expect, it } from 'vitest';
import { differences, PLAIN } from '../test/module/against-plain.js';
import { BenchMemory } from '../test/native/bench-memory.js';

const SEEDS = Array.from({ length: 30 }, (_, i) => i + 100);

const BENCHES = { 'with FMA': await BenchMemory.create(), 'without FMA': await BenchMemory.create(false) };

describe.each(Object.entries(BENCHES))('the module %s', (_name, bench) => {
  it.each(Object.keys(PLAIN))(
    `%s computes what plain arithmetic does, and writes nowhere else, in ${SEEDS.length} random calls`,
    (name) => {
      expect(differences(bench, name, SEEDS)).toEqual([]);
    },
  );
});
