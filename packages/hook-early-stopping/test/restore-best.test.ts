import type { Hook, HookState, Snapshot } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { scriptedRun } from './scripted-run.js';

const LOSSES = [0.5, 0.2, 0.3, 0.4, 0.4, 0.1];

test('the weights of the best epoch, to the bit, are there after the run was stopped', async () => {
  const run = scriptedRun(LOSSES, earlyStopping({ patience: 3, restoreBest: true }));
  await run.fit();
  expect(run.weightAfterEpoch).toHaveLength(5);
  expect(new Set(run.weightAfterEpoch).size).toBe(5);
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
  expect(run.said).toContain('Restored the weights of epoch 2: val/loss 0.2.');
});

test('they are there too when the run came to its own end', async () => {
  const run = scriptedRun([0.5, 0.2, 0.3], earlyStopping({ restoreBest: true }));
  expect((await run.fit()).status).toBe('completed');
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
});

test('a best that another hook ends the run at is kept', async () => {
  const stopper: Hook = {
    name: 'stopper',
    onValidationEnd: (ctx, { epoch }) => (epoch === 1 ? ctx.stop('good enough') : undefined),
  };
  const run = scriptedRun(LOSSES, stopper, earlyStopping({ restoreBest: true }));
  expect((await run.fit()).stopReason).toBe('good enough');
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
});

test('without restoreBest the last weights stay', async () => {
  const run = scriptedRun(LOSSES, earlyStopping({ patience: 3 }));
  await run.fit();
  expect(run.weight()).toBe(run.weightAfterEpoch[4]);
});

test('a run that fails keeps the weights it failed with', async () => {
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: (_ctx, { epoch }) => {
      if (epoch === 3) throw new Error('broken');
    },
  };
  const run = scriptedRun(LOSSES, failing, earlyStopping({ patience: 3, restoreBest: true }));
  await expect(run.fit()).rejects.toThrow('broken');
  expect(run.weight()).toBe(run.weightAfterEpoch[3]);
});

test('test and validation after the run do not restore anything again', async () => {
  const run = scriptedRun([0.5, 0.2, 0.3, 9, 9], earlyStopping({ restoreBest: true }));
  await run.fit({ epochs: 3 });
  const said = run.said.length;
  await run.validate();
  expect(run.said.slice(said).filter((line) => line.includes('Restored'))).toEqual([]);
});

/** Saves everything after the given epoch, the way a checkpoint hook does. */
function saver(epochToSave: number): { hook: Hook; saved: () => Snapshot } {
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
function loader(snapshot: Snapshot): Hook {
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

test('a resumed run counts on from where it was and still knows the best weights', async () => {
  const options = { patience: 3, restoreBest: true };
  const { hook, saved } = saver(2);
  const whole = scriptedRun(LOSSES, hook, earlyStopping(options));
  const expected = await whole.fit();

  const resumed = scriptedRun(LOSSES.slice(3), loader(saved()), earlyStopping(options));
  const result = await resumed.fit({ epochs: LOSSES.length, resume: 'auto' });
  expect(result.stopReason).toBe(expected.stopReason);
  expect(resumed.weightAfterEpoch).toEqual(whole.weightAfterEpoch.slice(3));
  expect(resumed.weight()).toBe(whole.weight());
});

/** Keeps checkpoints as a checkpoint hook does, but in memory; `forget` rotates one away. */
function checkpoints() {
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

const FROM_CHECKPOINT = { patience: 3, restoreBest: 'checkpoint' } as const;

test('from a checkpoint: nothing is kept in memory, and the weights are the same to the bit', async () => {
  const { hook, paths, saved } = checkpoints();
  const stopping = earlyStopping(FROM_CHECKPOINT);
  const run = scriptedRun(LOSSES, hook, stopping);
  await run.fit();
  expect(paths()).toEqual([
    'saved at 1 (early-stopping: best val/loss, 0.5)',
    'saved at 2 (early-stopping: best val/loss, 0.2)',
  ]);
  expect([...saved.values()].map(({ hooks }) => hooks)).toEqual([{}, {}]);
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
  expect(run.said).toContain(
    'Restored the weights of epoch 2: val/loss 0.2, from saved at 2 (early-stopping: best val/loss, 0.2).',
  );
});

test('from a checkpoint: a resumed run finds it again, also when it resumes from that very one', async () => {
  const keeper = checkpoints();
  const last: Hook = {
    name: 'last',
    onEpochEnd: (ctx, { epoch }) => (epoch === 2 ? ctx.requestCheckpoint('by the user') : undefined),
  };
  const whole = scriptedRun(LOSSES, keeper.hook, last, earlyStopping(FROM_CHECKPOINT));
  const { stopReason } = await whole.fit();
  for (const seen of [3, 2]) {
    // The newest of these is what `auto` finds: that of epoch 3, then the best itself.
    for (const path of keeper.paths().slice(seen)) keeper.saved.delete(path);
    const resumed = scriptedRun(LOSSES.slice(seen), keeper.hook, earlyStopping(FROM_CHECKPOINT));
    const result = await resumed.fit({ epochs: LOSSES.length, resume: 'auto' });
    expect(result.stopReason).toBe(stopReason);
    expect(resumed.weight()).toBe(whole.weightAfterEpoch[1]);
  }
});

test('from a checkpoint: when it was rotated away one that is as good will do, and nothing else', async () => {
  const fitWith = async (best: number | undefined) => {
    const keeper = checkpoints();
    const rotates: Hook = {
      name: 'rotates',
      onEpochEnd: (ctx, { epoch }) => (epoch > 1 ? ctx.requestCheckpoint(`epoch ${epoch}`) : undefined),
      onTrainEnd: () => {
        keeper.saved.delete(keeper.paths().find((path) => path.includes('best val/loss, 0.2'))!);
        keeper.setBest(best === undefined ? undefined : keeper.paths()[best]);
      },
    };
    // Not better by minDelta in epoch 3, and worse in epoch 4.
    const run = scriptedRun(
      [0.5, 0.2, 0.19999, 0.3, 0.3],
      rotates,
      keeper.hook,
      earlyStopping(FROM_CHECKPOINT),
    );
    await run.fit();
    return { ...run, restored: run.weightAfterEpoch.lastIndexOf(run.weight()) };
  };
  const { restored: epoch, said: told } = await fitWith(1);
  expect(epoch).toBe(2);
  expect(told).toContain(
    'Restored weights as good as those of epoch 2: val/loss 0.2, from saved at 3 (epoch 2).',
  );
  for (const [best, reason] of [
    [2, /saved at 2 .* is gone; saved at 4 \(epoch 3\) is of step 4/],
    [undefined, /saved at 2 .* is gone\./],
  ] as const) {
    const { restored, said } = await fitWith(best);
    expect(restored).toBe(4);
    expect(said.filter((line) => line.includes('cannot be restored'))).toEqual([
      expect.stringMatching(reason),
    ]);
    expect(said.join()).not.toContain('Restored');
  }
});

test('from a checkpoint, without a hook that saves them: says so, and keeps them in memory', async () => {
  const run = scriptedRun(LOSSES, earlyStopping(FROM_CHECKPOINT));
  await run.fit();
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
  expect(run.said.filter((line) => line.includes('hook-checkpoint'))).toHaveLength(1);
});

test('the saved state is plain JSON beside the tensors, infinities included', () => {
  const hook = earlyStopping({ checkFinite: false });
  const state: HookState = { best: '-Infinity', bestEpoch: 4, wait: 2, stoppedEpoch: null };
  hook.loadState!(state);
  expect(JSON.parse(JSON.stringify(hook.saveState!()))).toEqual(state);
});

test('a saved state that is not its own is refused', () => {
  expect(() => earlyStopping().loadState!({ loss: 3 })).toThrow(
    /not its own.*\{ best, bestEpoch, wait, stoppedEpoch \}/,
  );
});
