import type { Benchmark, Row } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { PythonSide } from './python-side.js';
import { stepAlone } from './threads.js';
import { beSide, isSide, MODELS, NodeSide, type Side } from './training-steps.js';

/** Started for each round and gone before the next: each side has the machine to itself. */
const SIDES: Readonly<Record<string, () => Promise<Side | undefined>>> = {
  'torch, one thread': () => PythonSide.start('torch', 1),
  'native, one thread': async () => new NodeSide('native'),
  'torch, two threads': () => PythonSide.start('torch', 2),
  'native, two threads': async () => new NodeSide('native, two threads'),
};

const PAIRS = [
  ['native, one thread', 'torch, one thread'],
  ['native, two threads', 'torch, two threads'],
] as const;

/** Steps that take long are few, of short ones there are enough to be compiled. */
const LARGE = { warmUp: 6, timed: 5, times: 5 };
const SMALL = { warmUp: 1500, timed: 200, times: 7 };
const MIDDLE = { warmUp: 150, timed: 40, times: 7 };

/** A step of every model with native kernels against PyTorch, with one thread each and with two each, each alone. */
export const againstTorch: Benchmark = async ({ quick }) => {
  if (isSide()) return beSide();
  const rows: Row[] = [];
  for (const model of Object.keys(MODELS)) {
    const times: Times<string> = {};
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      for (const [name, start] of Object.entries(SIDES)) {
        const side = await start();
        if (side) times[name] = [...(times[name] ?? []), await stepAlone(side, model, stepsOf(model, quick))];
      }
    }
    const note = Object.entries(times)
      .map(([name, each]) => `${name} ${Math.min(...each).toPrecision(3)} ms`)
      .join(', ');
    const judged = PAIRS.filter(([, other]) => times[other]);
    for (const [own, other] of judged)
      rows.push({ what: `${model}: ${own} / ${other}`, ratio: ratioOf(times, own, other), budget: 1, note });
    if (judged.length === 0) rows.push({ what: `${model}: a step, alone`, count: 0, note });
  }
  return rows;
};

function stepsOf(model: string, quick: boolean): typeof LARGE {
  if (quick) return { warmUp: 2, timed: 2, times: 3 };
  if (/64 channels|LSTM 128|width 128/.test(model)) return LARGE;
  return /tiny|embedding/.test(model) ? SMALL : MIDDLE;
}
