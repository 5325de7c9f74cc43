import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Benchmark, Row } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { beSide, isSide, NodeSide, type Side } from './training-steps.js';

const MODELS = ['tiny', 'MLP', 'CNN', 'LSTM', 'transformer block'];

/** In turns of this many milliseconds. */
const TURN = 60;

/** As many threads as training takes by itself against one, on a machine that is idle and on one that is crowded. */
export const threadsAuto: Benchmark = async ({ quick }) => {
  if (isSide()) return beSide();
  const rows: Row[] = [];
  for (const crowd of [0, 2 * availableParallelism()]) {
    const others = crowdOf(crowd);
    for (const model of MODELS) rows.push(await raceThreads(model, crowd, quick));
    for (const each of others) each.kill();
  }
  return rows;
};

async function raceThreads(model: string, crowd: number, quick: boolean): Promise<Row> {
  const sides: Record<string, Side> = { auto: new NodeSide('native, auto'), one: new NodeSide('native') };
  const times: Times<string> = { auto: [], one: [] };
  const steps = new Map<string, number>();
  // Workers start when there has been work for them: the first turns are not counted.
  for (let round = quick ? -3 : -20; round < (quick ? 5 : 41); round++) {
    const names = round % 2 === 0 ? ['auto', 'one'] : ['one', 'auto'];
    for (const name of names) {
      const count = steps.get(name) ?? 1;
      const milliseconds = (await sides[name]!.time(model, count)).wall / count;
      steps.set(name, Math.max(1, Math.min(2000, Math.round(TURN / milliseconds))));
      if (round >= 0) times[name]!.push(milliseconds);
    }
  }
  for (const side of Object.values(sides)) side.close();
  const best = (name: string) => Math.min(...times[name]!).toPrecision(3);
  return {
    what: `${model}, ${crowd === 0 ? 'idle machine' : `${crowd} other programs`}: threads 'auto' / one thread`,
    ratio: ratioOf(times, 'auto', 'one'),
    budget: 1.02,
    note: `${best('auto')} / ${best('one')} ms a step`,
  };
}

/** Programs that compute all the time. */
function crowdOf(count: number): ChildProcess[] {
  return Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (let x = 0.5; x; x = (x * 3.9) % 1 || 0.5);'], { stdio: 'ignore' }),
  );
}
