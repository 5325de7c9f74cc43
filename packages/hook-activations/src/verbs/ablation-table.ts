import type { PathFilter, TappableModel, Tensors } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';
import { type AblateOptions, type Ablation, ablate } from './ablate.js';
import { EffectTable, type Metric, MetricReader } from './effect-table.js';
import { placesOf } from './places.js';
import { run } from './run.js';
import { runWithCache } from './run-with-cache.js';

export interface AblationTableOptions<Output extends Tensors = Tensor> extends Omit<AblateOptions, 'at'> {
  /** What may get better or worse, in the outputs. */
  metric: Metric<Output>;
  /** Where to ablate. Default everywhere. */
  filter?: PathFilter;
  /** Ablate one position along this axis at a time, such as each head or token. */
  along?: number;
  /** Default `zero`. */
  how?: Ablation;
}

/**
 * Runs the inputs once for each place, with its activation taken away. The effect is by how much the metric rises.
 *
 * @example console.log(String(await ablationTable(model, x, { metric, filter: '**\/heads', along: 1 })));
 */
export async function ablationTable<Output extends Tensors = Tensor>(
  model: TappableModel,
  x: Tensors,
  { metric, filter, along, how, ...options }: AblationTableOptions<Output>,
): Promise<EffectTable> {
  const metrics = new MetricReader();
  const { output, cache } = runWithCache<Output>(model, x, filter);
  try {
    metrics.add(metric, output);
    const places = placesOf(cache, along);
    for (const { path, at } of places) {
      const taps = [ablate(path, how, { ...options, ...(at && { at }) })];
      metrics.add(metric, run<Output>(model, x, { taps }));
    }
    const [whole, ...values] = (await metrics.read()) as [number, ...number[]];
    const rows = places.map(({ path, at }, i) => {
      const value = values[i]!;
      return { path, ...(at && { index: at.index }), value, effect: value - whole };
    });
    return new EffectTable({ whole }, rows);
  } finally {
    metrics.dispose();
    cache.dispose();
  }
}
