import type { JsonValue } from '@hookline/hook-api';
import type { Settings } from '../resume/settings.js';
import { hashesOf, takeMainWeights } from '../run/main-weights.js';
import type { Run } from '../run/run.js';
import { ranksDiffer, type World } from '../strategies/world.js';
import type { FitPlan } from './plan.js';

/** Before the first batch: all ranks are about to train the same, from the weights of the main rank. */
export async function startAlike(run: Run, world: World, plan: FitPlan): Promise<void> {
  const said = await world.exchange<Settings>('the start of the fit', factsOf(run, plan));
  for (const [rank, facts] of said.entries()) {
    const list = differences(said[0]!, facts, rank);
    if (list.length === 0) continue;
    throw ranksDiffer(
      `rank ${rank} has other settings than rank 0:\n${list.join('\n')}\nStart every process with the same script, arguments, files and environment.`,
    );
  }
  await takeMainWeights(world, run.parts.trainable, 'before the first batch');
}

/** After an epoch: the weights are the same to the bit on all ranks, or the run ends before anything is saved. */
export async function checkAlike(run: Run, world: World): Promise<void> {
  const { parameters } = run.parts.trainable;
  const said = await world.exchange(
    `the weights after epoch ${run.state.epoch + 1}`,
    await hashesOf(parameters),
  );
  for (const [rank, hashes] of said.entries()) {
    const index = hashes.findIndex((hash, place) => hash !== said[0]![place]);
    if (index < 0) continue;
    throw ranksDiffer(
      `after epoch ${run.state.epoch + 1} "${parameters[index]!.path}" of rank ${rank} is not that of rank 0. A hook, layer or loss changes something on one rank only: transforms must depend on what all ranks see, and on ctx.seed() for chance.`,
    );
  }
}

/** What must be the same; without the samples that are left out, a difference would only show in the numbers. */
function factsOf(
  { settings = {}, parts, state }: Run,
  { epochs, train, validation, limits }: FitPlan,
): Settings {
  const orders = (loaders: FitPlan['validation']) =>
    loaders.map(({ name, order = {} }) => ({ name, ...order }));
  return {
    ...settings,
    epochs,
    step: state.step,
    backend: parts.backend.name,
    training: orders(train.loaders) as JsonValue,
    validating: orders(validation) as JsonValue,
    limits: [limits.steps, limits.trainBatches, limits.valBatches, limits.sanityBatches].map(String),
    hooks: parts.hooks.list().map(({ name }) => name),
  };
}

function differences(main: Settings, other: Settings, rank: number): string[] {
  return Object.keys({ ...main, ...other }).flatMap((name) => {
    const [here, there] = [main, other].map((facts) => JSON.stringify(facts[name]) ?? 'not set');
    return here === there ? [] : [`  - ${name}: ${here} on rank 0, ${there} on rank ${rank}`];
  });
}
