import type { PathFilter, TappableModel, Tensors } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';
import { activationsError } from '../errors.js';
import { EffectTable, type Metric, MetricReader } from './effect-table.js';
import { patch } from './patch.js';
import { placesOf } from './places.js';
import { run } from './run.js';
import { runWithCache } from './run-with-cache.js';

export interface PatchingOptions<Output extends Tensors = Tensor> {
  /** The inputs on which the model does what is to be explained. */
  clean: Tensors;
  /** The same inputs, changed so that it does not. */
  corrupted: Tensors;
  /** How much of it there is in the outputs. */
  metric: Metric<Output>;
  /** Where to patch. Default everywhere. */
  filter?: PathFilter;
  /** Patch one position along this axis at a time, such as each head or token. */
  along?: number;
}

/**
 * Activation patching: runs the corrupted inputs once for each place, with the clean activation put there. The effect
 * is how much of the way back to the clean metric that goes: 0 nothing, 1 all of it.
 *
 * @example console.log(String(await patchingTable(model, { clean, corrupted, metric })));
 */
export async function patchingTable<Output extends Tensors = Tensor>(
  model: TappableModel,
  { clean, corrupted, metric, filter, along }: PatchingOptions<Output>,
): Promise<EffectTable> {
  const metrics = new MetricReader();
  const { output, cache } = runWithCache<Output>(model, clean, filter);
  try {
    metrics.add(metric, output);
    metrics.add(metric, run<Output>(model, corrupted));
    const places = placesOf(cache, along);
    for (const { path, at } of places) {
      const taps = [patch(cache, path, at && { at })];
      metrics.add(metric, run<Output>(model, corrupted, { taps }));
    }
    const [before, after, ...values] = (await metrics.read()) as [number, number, ...number[]];
    if (before === after) throw nothingToBringBack(before);
    const rows = places.map(({ path, at }, i) => {
      const value = values[i]!;
      return { path, ...(at && { index: at.index }), value, effect: (value - after) / (before - after) };
    });
    return new EffectTable({ clean: before, corrupted: after }, rows);
  } finally {
    metrics.dispose();
    cache.dispose();
  }
}

function nothingToBringBack(metric: number): Error {
  return activationsError(
    'SAME_METRIC',
    `patchingTable: the metric is ${metric} for the clean and for the corrupted inputs, so there is no difference that a patch could bring back. Choose inputs, or a metric, that differ.`,
  );
}
