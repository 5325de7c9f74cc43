import type { TrainerOptions } from '@hookline/trainer';
import { type Benchmark, roundsFor } from './benchmark.js';
import { beSide, fitAlone, isSide, MODELS, type ModelName } from './fit-alone.js';
import { ratioOf, type Times } from './paired.js';

/** In `accelerate` one process uses all cores by itself, once it has seen work for them. Here it is told what to use. */
const WAYS = {
  'one thread': { backend: { name: 'wasm', threads: 1 } },
  'two threads': { backend: { name: 'wasm', threads: 2 } },
  'two processes': { strategy: { name: 'accelerate', processes: 2 } },
} as const satisfies Record<string, Pick<TrainerOptions, 'backend' | 'strategy'>>;

type Way = keyof typeof WAYS;

/** Two processes with a thread each, and one process with two threads, against one thread. */
export const twoProcesses: Benchmark = async (settings) => {
  if (isSide()) return beSide();
  const names = Object.keys(WAYS) as Way[];
  const rows = [];
  for (const model of Object.keys(MODELS) as ModelName[]) {
    const times: Times<Way> = { 'one thread': [], 'two threads': [], 'two processes': [] };
    for (let round = 0; round < Math.ceil(roundsFor(settings) / 3); round++)
      for (const way of names) times[way].push(await fitAlone(model, WAYS[way]));
    const note = names.map((way) => `${way} ${(Math.min(...times[way]) / 1000).toFixed(2)} s`).join(', ');
    for (const way of ['two processes', 'two threads'] as const)
      rows.push({ what: `${model}: ${way} / one thread`, ratio: ratioOf(times, way, 'one thread'), note });
  }
  return rows;
};
