import type { HookContext, HostTensor, Snapshot } from '@hookline/hook-api';
import { messageOf, snapshotStep } from '@hookline/hook-api/helpers';

/** What a checkpoint holds of the best weights: their values, or where they are. */
export interface SavedBest {
  weights?: Readonly<Record<string, HostTensor>> | undefined;
  step?: number | undefined;
  path?: string | undefined;
}

export interface Restored {
  /** The checkpoint that they were read from. */
  from?: string;
  /** They are those of another step than the best one, and as good. */
  isOther?: boolean;
}

/** Where the best weights are kept until the run ends. */
export interface BestWeights {
  /** The weights of this moment are the best so far. */
  keep(ctx: HookContext, what: string): void | Promise<void>;
  /** Puts them into the model. Undefined when there are none, or when that was not possible; a warning then says why. */
  restore(ctx: HookContext, isAsGood: (snapshot: Snapshot) => boolean): Promise<Restored | undefined>;
  /** A checkpoint of this moment is being saved, or was loaded. */
  noteCheckpoint?(ctx: HookContext, path: string): void;
  save(): SavedBest;
  load(saved: SavedBest): void;
}

/** A copy on the host: it lasts as long as the process. */
export class BestInMemory implements BestWeights {
  #model: Snapshot['model'] | undefined;

  async keep(ctx: HookContext): Promise<void> {
    this.#model = (await ctx.snapshot({ include: 'model' })).model;
  }

  async restore(ctx: HookContext): Promise<Restored | undefined> {
    const model = this.#model;
    this.#model = undefined;
    if (!model) return undefined;
    await ctx.restore({ version: 1, model });
    return {};
  }

  save(): SavedBest {
    return { weights: this.#model };
  }

  load({ weights }: SavedBest): void {
    this.#model = weights && { ...weights };
  }
}

/** In a checkpoint: takes no memory, and outlives the process. */
export class BestInCheckpoint implements BestWeights {
  #step: number | undefined;
  #path: string | undefined;

  /** `isAverage`: where the run keeps a moving average of the weights, the average is what was judged. */
  constructor(private readonly isAverage: boolean) {}

  /** It is saved at the end of the step or epoch, before anything is trained again. */
  keep(ctx: HookContext, what: string): void {
    this.#step = ctx.state.step;
    this.#path = undefined;
    ctx.requestCheckpoint(what);
  }

  noteCheckpoint({ state }: HookContext, path: string): void {
    if (state.step === this.#step) this.#path = path;
  }

  /**
   * Only from a checkpoint that is known to be right: that of the best step, or one that is as good. The first may
   * have been rotated away in favour of others that are better by less than `minDelta`.
   */
  async restore(ctx: HookContext, isAsGood: (snapshot: Snapshot) => boolean): Promise<Restored | undefined> {
    const [step, path] = [this.#step, this.#path];
    this.#step = this.#path = undefined;
    if (step === undefined) return undefined;
    const provider = ctx.checkpoints;
    const problems: string[] = [];
    for (const find of [async () => path && { path }, () => provider?.find('best')]) {
      try {
        const found = await find();
        if (!found) continue;
        const snapshot = await provider!.load(found);
        const isOther = snapshotStep(snapshot) !== step;
        if (!isOther || isAsGood(snapshot)) {
          const { model, average } = snapshot;
          await ctx.restore({ version: 1, model: { ...model, ...(this.isAverage && average) } });
          return { from: found.path, isOther };
        }
        problems.push(`${found.path} is from step ${snapshotStep(snapshot)}`);
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    ctx.logger.warn(
      `The best weights, those of step ${step}, could not be restored: ${problems.join('; ') || 'their checkpoint is gone'}. ` +
        'The model keeps its last weights. Let the checkpoint hook monitor the same metric, so that it keeps them.',
    );
    return undefined;
  }

  save(): SavedBest {
    return { step: this.#step, path: this.#path };
  }

  load({ step, path }: SavedBest): void {
    this.#step = step;
    this.#path = path;
  }
}
