import type { Feed, FeedState } from '@hookline/data';
import type { HostTensor, JsonValue } from '@hookline/hook-api';
import type { RandomWords } from '@hookline/numerics';
import { withPrefix } from '@hookline/numerics';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import type { RunParts } from '../run/run.js';
import { type HeldState, holdState } from './held-state.js';
import type { Progress } from './progress.js';

/** Where the epoch stands; JSON. */
export type Position = {
  /** Optimizer steps that are done. */
  step: number;
  /** Batches behind, of the first epoch that is not completed. */
  batchesDone: number;
  /** `onStepStart` has been fired for the step that is next. */
  stepBegun: boolean;
  /**
   * A batch, or the end of the batches; what is due after a step; validation after a step; validation after the
   * epoch; the end of the epoch; or the log of the epoch before.
   */
  next: 'batch' | 'boundary' | 'validation' | 'epochValidation' | 'epochEnd' | 'epochLog';
};

/** What a snapshot holds of the loop. */
export interface SavedLoop {
  loaders: FeedState | null;
  /** Absent when the loop had not begun. */
  progress?: JsonValue;
}

/**
 * Where a resumed run goes on. The loop moves it when something is done for good: a batch, a step, a validation, an
 * epoch. In between a snapshot shows what was before, and the resumed run does that part again.
 */
export class ResumePoint {
  readonly position: Position = { step: 0, batchesDone: 0, stepBegun: false, next: 'batch' };
  #progress: Progress | undefined;
  #data: Feed | undefined;
  /** What the part that is under way has changed since. */
  #held: HeldState | undefined;
  /** Of an earlier run, until the loop begins. */
  #saved: { loop: SavedLoop; partial: Readonly<Record<string, HostTensor>> } | undefined;

  constructor(private readonly parts: Pick<RunParts, 'trainable' | 'random' | 'logger'>) {}

  /** The loop has begun: it cannot go anywhere else any more. */
  get isFixed(): boolean {
    return this.#progress !== undefined;
  }

  /** To be called before `begin`. */
  resume(position: Partial<Position>, loop: SavedLoop, partial: Readonly<Record<string, HostTensor>>): void {
    Object.assign(this.position, { stepBegun: false, next: 'batch', ...position });
    this.#saved = { loop, partial };
  }

  /** The loop begins, where an earlier run left off if there is one. */
  begin(progress: Progress, data?: Feed): void {
    this.#progress = progress;
    this.#data = data;
    if (data) data.logger = this.parts.logger;
    const saved = this.#saved;
    this.#saved = undefined;
    if (!saved) return;
    const { loaders, progress: json } = saved.loop;
    if (data && loaders && !data.resume(loaders)) {
      // The epoch begins anew: nothing of it is done.
      Object.assign(this.position, { batchesDone: 0, stepBegun: false, next: 'batch' });
      return;
    }
    if (json) progress.load(json, saved.partial);
    progress.stepBegun = this.position.stepBegun;
  }

  /** A part begins that is done or not done as a whole. */
  hold(): void {
    this.release();
    this.#held = holdState(this.parts);
  }

  /** That part is done; a resumed run goes on after it. */
  settle(changes: Partial<Position>): void {
    this.release();
    Object.assign(this.position, changes);
    this.#data?.commit();
  }

  /** Undoes what a forward pass has changed. */
  putBack(): void {
    this.#held?.putBack();
  }

  /** From here on, things are as they should be. */
  release(): void {
    this.#held?.release();
    this.#held = undefined;
  }

  get random(): RandomWords {
    return this.#held?.random ?? this.parts.random.save();
  }

  valueOf(variable: Variable): Tensor {
    return this.#held?.values.get(variable) ?? variable;
  }

  /** As JSON, and as tensors that stay where they are. */
  save(): { loop: SavedLoop; partial: Record<string, Tensor | HostTensor> } {
    const layerStates = this.#held?.layerStates ?? this.parts.trainable.layerStates.read();
    const states = withPrefix(layerStates, 'states/');
    if (this.#saved) return { loop: this.#saved.loop, partial: { ...this.#saved.partial, ...states } };
    const saved = this.#progress?.save();
    return {
      loop: { loaders: this.#data?.saveState() ?? null, ...(saved && { progress: saved.json }) },
      partial: { ...saved?.tensors, ...states },
    };
  }

  dispose(): void {
    this.release();
    this.#progress?.dispose();
  }
}
