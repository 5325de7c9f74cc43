import type { HostTensor } from '@hookline/hook-api';
import { copyToHost, hostValues } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import type { Trainable } from '../model/trainable.js';
import { assign } from '../resume/load-weights.js';
import { ranksDiffer, type World } from '../strategies/world.js';

type Weights = Pick<Trainable, 'parameters'>;

/**
 * Gives all ranks the weights of the main one. They are sent only where they differ: a model that was built without a
 * seed is another one on each rank, and a hook may have brought back weights that only the main rank has.
 */
export async function takeMainWeights(
  world: World,
  { parameters }: Weights,
  place: 'once the model is built' | 'before the first batch' | 'after the fit',
): Promise<void> {
  const shapes = parameters.map(({ path, variable }) => `${path} [${variable.shape}]`);
  const hashes = await hashesOf(parameters);
  const said = await world.exchange(`the weights ${place}`, { shapes, hashes });
  for (const [rank, { shapes: those }] of said.entries()) checkShapes(said[0]!.shapes, those, rank);
  if (said.every((each) => String(each.hashes) === String(said[0]!.hashes))) return;
  const weights = Object.fromEntries(parameters.map(({ path, variable }) => [path, variable]));
  const main = await world.fromMain<Record<string, HostTensor> | undefined>(
    world.isMain ? await copyToHost(weights) : undefined,
  );
  if (world.isMain) return;
  for (const { path, variable } of parameters) assign(variable, main![path]!);
}

/** One for each parameter: the same for the same bits. */
export async function hashesOf(parameters: readonly Parameter[]): Promise<number[]> {
  const hashes: number[] = [];
  for (const { variable } of parameters) {
    const values = hostValues(variable) ?? (await variable.data());
    hashes.push(hashOf(values instanceof Float32Array ? values : Float32Array.from(values)));
  }
  return hashes;
}

function checkShapes(main: readonly string[], other: readonly string[], rank: number): void {
  if (String(main) === String(other)) return;
  const place = other.findIndex((shape, index) => shape !== main[index]);
  const index = place < 0 ? other.length : place;
  throw ranksDiffer(
    `rank ${rank} has another model than rank 0: parameter ${index + 1} is ${main[index] ?? 'absent'} on rank 0, ${other[index] ?? 'absent'} on rank ${rank}. Start every process with the same script, arguments, files and environment.`,
  );
}

/** FNV-1a over the words: fast, and any two vectors that differ in one place have different hashes. */
function hashOf(values: Float32Array): number {
  const words = new Int32Array(values.buffer, values.byteOffset, values.length);
  let hash = 0x811c9dc5;
  for (let index = 0; index < words.length; index++) hash = Math.imul(hash ^ words[index]!, 0x01000193);
  return hash >>> 0;
}
