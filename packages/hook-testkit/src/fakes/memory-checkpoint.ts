import type { Hook, HookContext, Snapshot } from '@hookline/hook-api';

export interface MemoryCheckpoint {
  /** For the first run: takes the snapshot at the end of the first epoch or batch that this is true of. */
  saves(when: { epoch?: number; batch?: number }): Hook;
  /** For the second run, with `resume: 'auto'`. */
  readonly resumes: Hook;
}

/** A checkpoint without files: taken in one run, resumed from in another. */
export function memoryCheckpoint(): MemoryCheckpoint {
  let saved: Snapshot | undefined;
  const save = async (ctx: HookContext): Promise<void> => {
    saved ??= await ctx.snapshot();
  };
  return {
    saves: ({ epoch, batch }) => ({
      name: 'saves-in-memory',
      async onTrainBatchEnd(ctx, { batchIndex }) {
        if (batch === batchIndex && (epoch === undefined || epoch === ctx.state.epoch)) await save(ctx);
      },
      async onEpochEnd(ctx, event) {
        if (batch === undefined && epoch === event.epoch) await save(ctx);
      },
    }),
    resumes: {
      name: 'resumes-from-memory',
      setup: (ctx) =>
        ctx.provideCheckpoints({
          find: async () => ({ path: 'memory' }),
          load: async () => asFromFile(saved!),
          save: async () => {},
        }),
    },
  };
}

/** By value, and what is not a tensor by way of JSON. */
function asFromFile({ state, ...tensors }: Snapshot): Snapshot {
  return { ...structuredClone(tensors), ...(state && { state: JSON.parse(JSON.stringify(state)) }) };
}
