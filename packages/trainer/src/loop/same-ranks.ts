import type { HostTensor, JsonValue } from '@hookline/hook-api';
import { copyToHost, hostValues } from '@hookline/numerics';
import { assign } from '../resume/load-weights.js';
import type { Settings } from '../resume/settings.js';
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
  const weights = Object.fromEntries(
    run.parts.trainable.parameters.map(({ path, variable }) => [path, variable]),
  );
  const main = await world.fromMain<Record<string, HostTensor> | undefined>(
    world.isMain ? await copyToHost(weights) : undefined,
  );
  if (world.isMain) return;
  for (const [path, variable] of Object.entries(weights)) assign(variable, main![path]!);
}

/** After an epoch: the weights are the same to the bit on all ranks, or the run ends before anything is saved. */
export async function checkAlike(run: Run, world: World): Promise<void> {
  const { parameters } = run.parts.trainable;
  const mine: number[] = [];
  for (const { variable } of parameters) {
    const values = hostValues(variable) ?? (await variable.data());
    mine.push(hashOf(values instanceof Float32Array ? values : Float32Array.from(values)));
  }
  const said = await world.exchange(`the weights after epoch ${run.state.epoch + 1}`, mine);
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
    parameters: parts.trainable.parameters.map(({ path, variable }) => `${path} [${variable.shape}]`),
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

/** FNV-1a over the words: fast, and any two vectors that differ in one place have different hashes. */
function hashOf(values: Float32Array): number {
  const words = new Int32Array(values.buffer, values.byteOffset, values.length);
  let hash = 0x811c9dc5;
  for (let index = 0; index < words.length; index++) hash = Math.imul(hash ^ words[index]!, 0x01000193);
  return hash >>> 0;
}
