import { type RunView, readRun } from '@hookline/run-view';
import { openFolder } from '@hookline/safetensors/node';
import { checkpointsIn } from '../saved/checkpoint-folders.js';
import { counted } from './counted.js';

/** What a comparison of two runs found, in words. */
export interface BitComparison {
  readonly text: string;
  readonly isSame: boolean;
}

/** Compares what two runs logged and saved: the first step at which they differ, or how much is the same. */
export async function firstDifference(was: string, is: string): Promise<BitComparison> {
  const [a, b] = [await readRun(was), await readRun(is)];
  const numbers = comparedNumbers(a, b);
  const weights = await comparedWeights(was, is);
  const [first] = [...numbers.different, ...weights.different].sort((one, other) => one.step - other.step);
  if (first) return { text: `Differs first at step ${first.step}: ${first.what}.`, isSame: false };
  if (numbers.same + weights.same === 0) {
    return {
      text: 'There is nothing to compare: the runs have no logged step and no checkpoint in common. Install @hookline/hook-logging or @hookline/hook-checkpoint.',
      isSame: false,
    };
  }
  const parts = [
    ...(numbers.same > 0 ? [`${counted(numbers.same, 'logged number')} up to step ${numbers.last}`] : []),
    ...(weights.same > 0 ? [`the weights of ${counted(weights.same, 'checkpoint')}`] : []),
  ];
  return {
    text: `The same bits: ${parts.join(', and ')}.`,
    isSame: true,
  };
}

interface Compared {
  same: number;
  readonly different: { step: number; what: string }[];
}

/** What training computes. How long something took, and what a hook of the user's logs, may differ from run to run. */
const COMPUTED = /^(train|val|test|batch|lr|grad)\//;

function comparedNumbers(a: RunView, b: RunView): Compared & { last: number } {
  const found = { same: 0, last: 0, different: [] as Compared['different'] };
  for (const [name, series] of a.series) {
    const other = b.series.get(name);
    if (!COMPUTED.test(name) || !other) continue;
    const { steps, values } = series.points();
    const before = new Map(Array.from(steps, (step, index) => [step, values[index]!]));
    const now = other.points();
    for (const [index, step] of now.steps.entries()) {
      const was = before.get(step);
      if (was === undefined) continue;
      if (!Object.is(was, now.values[index])) {
        found.different.push({ step, what: `${name} was ${was} and is ${now.values[index]}` });
        break;
      }
      found.same++;
      found.last = Math.max(found.last, step);
    }
  }
  return found;
}

async function comparedWeights(was: string, is: string): Promise<Compared> {
  const [before, now] = [await weightsOf(was), await weightsOf(is)];
  const common = [...now].filter(([step]) => before.has(step));
  const different = common.filter(([step, hash]) => before.get(step) !== hash);
  return {
    same: common.length - different.length,
    different: different.map(([step]) => ({
      step,
      what: 'the weights in the checkpoints of that step are not equal',
    })),
  };
}

/** The hash of the weights, by the step of the checkpoint that holds them. */
async function weightsOf(folder: string): Promise<Map<number, string>> {
  const { paths } = await checkpointsIn(folder).catch(() => ({ paths: [] }));
  const hashes = new Map<number, string>();
  for (const path of paths) {
    const opened = await openFolder(path).catch(() => undefined);
    const { step } = Object(opened?.manifest.info) as { step?: unknown };
    const hash = opened?.manifest.files.get('model.safetensors')?.sha256;
    if (typeof step === 'number' && hash !== undefined) hashes.set(step, hash);
  }
  return hashes;
}
