import { type Ablation, ablationTable, type EffectTable } from '@hookline/hook-activations';
import * as tf from '@tensorflow/tfjs-core';
import type { Head } from '../head.js';
import type { Transformer } from '../model/transformer.js';
import { accuracyOf } from '../repeat-accuracy.js';
import { batchOf, type Sequence } from '../task.js';

export interface Ablations {
  whole: Performance;
  without: AblatedHead[];
}

/** How well the model does without a head. */
export interface AblatedHead {
  head: Head;
  /** With the head's output set to zero. */
  zero: Performance;
  /** With the mean over the sequences in its place: it still speaks, but says the same in all of them. */
  mean: Performance;
}

export interface Performance {
  loss: number;
  accuracy: number;
}

/** Takes away one head after the other, and looks at loss and accuracy where the next letter can be known. */
export async function ablateHeads(
  model: Transformer,
  heads: readonly Head[],
  sequences: readonly Sequence[],
): Promise<Ablations> {
  const { xs, ys } = batchOf(sequences);
  const table = (how: Ablation, metric: (logits: tf.Tensor) => tf.Tensor): Promise<EffectTable> =>
    ablationTable(model, xs, { metric, how, filter: heads.map(({ output }) => output) });
  const loss = (logits: tf.Tensor) => model.loss(logits, { xs, ys });
  const accuracy = (logits: tf.Tensor) => accuracyOf(ys, logits);

  const performance = async (how: Ablation) => ({
    loss: await table(how, loss),
    accuracy: await table(how, accuracy),
  });
  const [zero, mean] = [await performance('zero'), await performance('mean')];
  tf.dispose([xs, ys]);
  return {
    whole: { loss: zero.loss.baselines.whole!, accuracy: zero.accuracy.baselines.whole! },
    without: heads.map((head) => ({ head, zero: rowOf(zero, head), mean: rowOf(mean, head) })),
  };
}

function rowOf(tables: Record<keyof Performance, EffectTable>, { output }: Head): Performance {
  const value = (table: EffectTable) => table.rows.find(({ path }) => path === output)!.value;
  return { loss: value(tables.loss), accuracy: value(tables.accuracy) };
}
