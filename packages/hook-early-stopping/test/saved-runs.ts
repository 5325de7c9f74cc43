import type { Hook, Snapshot } from '@hookline/hook-api';

/** Saves everything after the given epoch, the way a checkpoint hook does. */
export function saver(epochToSave: number): { hook: Hook; saved: () => Snapshot } {
  let snapshot: Snapshot | undefined;
  return {
    hook: {
      name: 'saver',
      async onEpochEnd(ctx, { epoch }) {
        if (epoch === epochToSave) snapshot = await ctx.snapshot();
      },
    },
    saved: () => snapshot!,
  };
}

/** Offers a snapshot to `resume`, the way a checkpoint hook does. */
export function loader(snapshot: Snapshot): Hook {
  return {
    name: 'loader',
    setup(ctx) {
      ctx.provideCheckpoints({
        find: async () => ({ path: 'memory' }),
        load: async () => snapshot,
        save: async () => {},
      });
    },
  };
}

/** Keeps checkpoints as a checkpoint hook does, but in memory; what is deleted from `saved` was rotated away. */
export function checkpoints(): {
  hook: Hook;
  saved: Map<string, Snapshot>;
  paths(): string[];
  setBest(path: string | undefined): void;
} {
  const saved = new Map<string, Snapshot>();
  let best: string | undefined;
  const hook: Hook = {
    name: 'checkpoint',
    setup(ctx) {
      ctx.provideCheckpoints({
        find: async (which) => {
          const path = which === 'best' ? best : [...saved.keys()].at(-1);
          return path === undefined ? undefined : { path };
        },
        load: async ({ path }) => {
          const snapshot = saved.get(path);
          if (!snapshot) throw new Error(`${path} is gone`);
          return snapshot;
        },
        save: async (reason) => {
          const path = `saved at ${ctx.state.step} (${reason})`;
          saved.set(path, await ctx.snapshot({ checkpoint: { reason, path } }));
          await ctx.checkpointSaved({ reason, path });
        },
      });
    },
  };
  const paths = () => [...saved.keys()];
  const setBest = (path: string | undefined) => {
    best = path;
  };
  return { hook, saved, paths, setBest };
}
