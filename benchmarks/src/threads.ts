import { type Benchmark, type Row, roundsFor } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { PythonSide } from './python-side.js';
import { beSide, isSide, NodeSide, type Side } from './training-steps.js';

const MODELS = ['MLP', 'CNN'];

/** Started for each round, and gone when the next begins: threads of PyTorch look for work while others compute. */
const SIDES: Readonly<Record<string, () => Promise<Side | undefined>>> = {
  one: async () => new NodeSide('hookline'),
  two: async () => new NodeSide('hookline, two threads'),
  'torch, one thread': () => PythonSide.start('torch', 1),
  torch: () => PythonSide.start('torch'),
};

const STEPS = { warmUp: 200, timed: 100, times: 5 };

/** Training with two threads against one, and against PyTorch, each with the machine to itself. */
export const threads: Benchmark = async (settings) => {
  if (isSide()) return beSide();
  const rows: Row[] = [];
  for (const model of MODELS) {
    const times: Times<string> = {};
    for (let round = 0; round < roundsFor(settings) / 5; round++) {
      for (const [name, start] of Object.entries(SIDES)) {
        const side = await start();
        if (side) times[name] = [...(times[name] ?? []), await stepAlone(side, model)];
      }
    }
    const note = Object.entries(times)
      .map(([name, each]) => `${name} ${Math.min(...each).toPrecision(3)} ms`)
      .join(', ');
    for (const [own, other] of [
      ['two', 'one'],
      ['two', 'torch'],
      ['one', 'torch, one thread'],
    ] as const) {
      if (times[other])
        rows.push({ what: `${model}, alone: ${own} / ${other}`, ratio: ratioOf(times, own, other), note });
    }
  }
  return rows;
};

/** Milliseconds of a step, the middle one of some runs. */
export async function stepAlone(side: Side, model: string, steps = STEPS): Promise<number> {
  try {
    await side.time(model, steps.warmUp);
    const each: number[] = [];
    for (let i = 0; i < steps.times; i++) each.push((await side.time(model, steps.timed)).wall / steps.timed);
    return each.sort((a, b) => a - b)[Math.floor(steps.times / 2)]!;
  } finally {
    side.close();
  }
}
