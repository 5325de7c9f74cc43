import type { HostTensor } from '@hookline/hook-api';
import { fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { type Count, countTensors, sumOfCounts } from '../objective/count.js';

type Tensors = Record<string, tf.Tensor>;

/** A gradient sum as JSON; its tensors are beside it. `device`: a count that is among them. */
export type SavedGradientSum = {
  batches: number;
  each: number | 'device' | null;
  all: number | 'device' | null;
};

/**
 * Adds up the gradients of the batches that make one optimizer step. Each is of a mean over the batch, and counts as much
 * as what that is the mean of: so a step over several batches is a step over one that holds them all.
 */
export class GradientSum {
  #sum: Tensors = {};
  #batches = 0;
  /** The count of each batch, as long as it is the same for all: they are added as they are. */
  #each: Count | undefined;
  /** The counts together, once they differ: each gradient in the sum is multiplied by its count. */
  #all: Count | undefined;

  get batches(): number {
    return this.#batches;
  }

  /** Takes the gradients over; the count stays the caller's. */
  add(gradients: Tensors, count: Count): void {
    if (this.#batches === 0) this.#each = ownCount(count);
    else if (!this.#isLike(count)) this.#weigh(count);
    const isWeighted = this.#each === undefined;
    for (const [path, gradient] of Object.entries(gradients)) {
      const before = this.#sum[path];
      const share = isWeighted ? replaced(gradient, tf.mul(gradient, count)) : gradient;
      this.#sum[path] = before ? tf.add(before, share) : share;
      if (before) tf.dispose([before, share]);
    }
    this.#batches++;
  }

  /**
   * The mean over the batches and one more, which it takes over; it belongs to the caller. The sum stays until
   * `clear`: a snapshot within the step goes back to before its last batch.
   */
  mean(last?: { gradients: Tensors; count: Count }): Tensors {
    if (last && this.#batches === 0) return last.gradients;
    const isLike = last === undefined ? this.#each !== undefined : this.#isLike(last.count);
    const paths = new Set([...Object.keys(this.#sum), ...Object.keys(last?.gradients ?? {})]);
    const meanOf = isLike ? this.#plainMean(last) : this.#weightedMean(last);
    return Object.fromEntries(
      [...paths].map((path) => {
        const gradient = last?.gradients[path];
        const mean = tf.tidy(() => meanOf(this.#sum[path], gradient));
        // At once, so that a step never holds more than two sets of gradients.
        gradient?.dispose();
        return [path, mean];
      }),
    );
  }

  /** Starts over. */
  clear(): void {
    if (this.#batches === 0) return;
    tf.dispose(Object.values(this.#sum));
    tf.dispose(countTensors([this.#each ?? 0, this.#all ?? 0]));
    this.#sum = {};
    this.#batches = 0;
    this.#each = this.#all = undefined;
  }

  /** The tensors stay its own. */
  save(): { state: SavedGradientSum; gradients: Readonly<Tensors>; counts: Tensors } {
    const count = (given: Count | undefined) =>
      given === undefined || typeof given === 'number' ? (given ?? null) : 'device';
    const { each, all } = { each: this.#each, all: this.#all };
    return {
      state: { batches: this.#batches, each: count(each), all: count(all) },
      gradients: this.#sum,
      counts: {
        ...(each !== undefined && typeof each !== 'number' && { each }),
        ...(all !== undefined && typeof all !== 'number' && { all }),
      },
    };
  }

  load(
    { batches, each, all }: SavedGradientSum,
    gradients: Readonly<Record<string, HostTensor>>,
    counts: Readonly<Record<string, HostTensor>>,
  ): void {
    this.clear();
    const count = (saved: number | 'device' | null, name: string): Count | undefined =>
      saved === 'device' ? (fromHost(counts[name]!) as tf.Scalar) : (saved ?? undefined);
    this.#batches = batches;
    this.#each = count(each, 'each');
    this.#all = count(all, 'all');
    for (const [path, tensor] of Object.entries(gradients)) this.#sum[path] = fromHost(tensor);
  }

  #isLike(count: Count): boolean {
    return typeof count === 'number' && count === this.#each;
  }

  /** From now on the sum is weighted. */
  #weigh(next: Count): void {
    const each = this.#each;
    if (each !== undefined) {
      for (const [path, sum] of Object.entries(this.#sum)) this.#sum[path] = replaced(sum, tf.mul(sum, each));
      this.#all = typeof each === 'number' ? each * this.#batches : each;
      this.#each = undefined;
    }
    const before = this.#all!;
    this.#all = sumOfCounts([before, next]);
    if (typeof before !== 'number') before.dispose();
  }

  #plainMean(last: object | undefined): MeanOf {
    const batches = this.#batches + (last ? 1 : 0);
    return (sum, gradient) => {
      const total = sum && gradient ? tf.add(sum, gradient) : (sum ?? gradient)!;
      return batches === 1 ? tf.clone(total) : tf.div(total, batches);
    };
  }

  #weightedMean(last: { count: Count } | undefined): MeanOf {
    const each = this.#each;
    const before = each === undefined ? this.#all! : typeof each === 'number' ? each * this.#batches : each;
    return (sum, gradient) => {
      const all = last ? sumOfCounts([before, last.count]) : before;
      const weighted = sum && each !== undefined ? tf.mul(sum, each) : sum;
      const share = gradient && tf.mul(gradient, last!.count);
      // Without anything that counts, there is nothing to learn.
      return tf.divNoNan(weighted && share ? tf.add(weighted, share) : (weighted ?? share)!, all);
    };
  }
}

type MeanOf = (sum: tf.Tensor | undefined, last: tf.Tensor | undefined) => tf.Tensor;

function ownCount(count: Count): Count {
  return typeof count === 'number' ? count : tf.clone(count);
}

function replaced(old: tf.Tensor, next: tf.Tensor): tf.Tensor {
  old.dispose();
  return next;
}
