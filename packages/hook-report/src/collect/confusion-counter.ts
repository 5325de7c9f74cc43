import type { BatchEndEvent, TensorTree } from '@hookline/hook-api';
import { readNumbers } from '@hookline/numerics';
import type { Confusion } from '@hookline/run-view';
import type { Tensor } from '@tensorflow/tfjs-core';

/** Enough to see which classes are mistaken for which; more would only take longer. */
const MOST_SAMPLES = 2_000;
const MOST_CLASSES = 50;

/** Between what a loss tells classes apart: the output above which a sample belongs to class 1, or the largest output. */
const THRESHOLDS: Readonly<Record<string, number | 'largest'>> = {
  binaryCrossentropy: 0.5,
  sigmoidCrossentropy: 0,
  categoricalCrossentropy: 'largest',
  sparseCategoricalCrossentropy: 'largest',
  softmaxCrossentropy: 'largest',
  sparseSoftmaxCrossentropy: 'largest',
};

/** Whether a loss of this name is one of a classifier whose classes can be counted. */
export function isClassifierLoss(loss: unknown): loss is string {
  return typeof loss === 'string' && Object.hasOwn(THRESHOLDS, loss);
}

/** Counts how the samples of one validation are classified, up to 2,000. */
export class ConfusionCounter {
  #counts: number[][] = [];
  #samples = 0;
  /** Outputs of a shape that is not one row of classes for each sample. */
  #isUnfit = false;

  constructor(
    private readonly loss: string,
    private readonly epoch: number,
  ) {}

  get isFull(): boolean {
    return this.#isUnfit || this.#samples >= MOST_SAMPLES;
  }

  async add({ outputs, batch }: BatchEndEvent): Promise<void> {
    const [output, target] = [onlyTensor(outputs), onlyTensor(batch.ys)];
    const classes = output?.rank === 2 ? output.shape[1]! : 0;
    const threshold = THRESHOLDS[this.loss]!;
    const isFit = threshold === 'largest' ? classes > 1 : classes === 1;
    if (!output || !target || !isFit || classes > MOST_CLASSES) {
      this.#isUnfit = true;
      return;
    }
    const [scores, labels] = await readNumbers([output, target]);
    const width = labels!.length / output.shape[0]!;
    for (let at = 0; at < output.shape[0]! && this.#samples < MOST_SAMPLES; at++) {
      const predicted = classOf(scores!, at, classes, threshold);
      const label = width === 1 ? labels![at]! : largest(labels!, at * width, width);
      this.#count(Math.round(label), predicted, Math.max(classes, 2));
    }
  }

  result(): Confusion | undefined {
    if (this.#isUnfit || this.#samples === 0) return undefined;
    return { epoch: this.epoch + 1, samples: this.#samples, counts: this.#counts };
  }

  #count(label: number, predicted: number, classes: number): void {
    if (this.#counts.length === 0) {
      this.#counts = Array.from({ length: classes }, () => new Array<number>(classes).fill(0));
    }
    const row = this.#counts[label];
    // A label that is left out of the loss, such as -1, is not counted.
    if (!row) return;
    row[predicted]!++;
    this.#samples++;
  }
}

function classOf(
  scores: readonly number[],
  at: number,
  classes: number,
  threshold: number | 'largest',
): number {
  if (threshold === 'largest') return largest(scores, at * classes, classes);
  return scores[at]! > threshold ? 1 : 0;
}

function largest(values: readonly number[], start: number, count: number): number {
  let best = 0;
  for (let at = 1; at < count; at++) if (values[start + at]! > values[start + best]!) best = at;
  return best;
}

/** The tensor of a model with one output. */
function onlyTensor(tree: TensorTree | undefined): Tensor | undefined {
  if (tree === undefined) return undefined;
  const tensors = 'shape' in tree ? [tree as Tensor] : Object.values<Tensor>(tree);
  return tensors.length === 1 ? tensors[0] : undefined;
}
