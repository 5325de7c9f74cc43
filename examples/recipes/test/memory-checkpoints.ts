import { defineHook, type Snapshot } from '@hookline/hook-api';

/** Takes a snapshot after every epoch, and offers one to `fit({ resume: 'auto' })`. */
export function memoryCheckpoints(offered?: Snapshot) {
  return defineHook({
    name: 'memory-checkpoints',
    latest: offered,
    setup(ctx) {
      ctx.provideCheckpoints({
        find: async () => (offered ? { path: 'memory' } : undefined),
        load: async () => offered!,
        save: async () => {},
      });
    },
    async onEpochEnd(ctx) {
      this.latest = await ctx.snapshot();
    },
  });
}
