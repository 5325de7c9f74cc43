import type { Hook, HookContext, LoadedHookState, Snapshot } from '@hookline/hook-api';
import { describe, expect, test } from 'vitest';
import { neighbours } from '../../src/checks/neighbours.js';
import { resume } from '../../src/checks/resume.js';
import { switching } from '../../src/checks/switching.js';
import { teardown } from '../../src/checks/teardown.js';
import type { TestedFactory } from '../../src/subject.js';
import { saidBy, steadyBut } from '../steady.js';

describe('resume', () => {
  test('a hook whose state is saved only at the end of an epoch is found out in the middle of one', async () => {
    const byEpoch = steadyBut((hook) => {
      let saved = 0;
      return {
        onEpochEnd: () => {
          saved = hook.average;
        },
        saveState: () => ({ average: saved }),
      };
    });
    expect(await saidBy(resume, byEpoch)).toMatch(/^Resumed in the middle of an epoch, "steady\/loss" is /m);
  });

  test('a loadState that throws is quoted', async () => {
    const picky = steadyBut(() => ({
      loadState: () => {
        throw new Error('version 1 is not known');
      },
    }));
    expect(await saidBy(resume, picky)).toContain('version 1 is not known');
  });

  test('a hook that forgets when to stop is found out', async () => {
    const limit =
      (remembers: boolean): TestedFactory<object> =>
      () => {
        let batches = 0;
        return {
          name: 'limit',
          setup() {
            batches = 0;
          },
          onTrainBatchEnd: (ctx: HookContext) => void (++batches === 5 && ctx.stop('five batches')),
          saveState: () => batches,
          loadState(state: LoadedHookState) {
            batches = remembers ? (state as unknown as number) : 0;
          },
        } as Hook;
      };
    expect(await saidBy(resume, limit(true), { observer: false })).toBe('');
    expect(await saidBy(resume, limit(false), { observer: false })).toMatch(
      /^Resumed at the end of an epoch, /m,
    );
  });
});

describe('resume of a hook that offers its own checkpoints', () => {
  /** Saves in the middle of an epoch; `spoil` changes what is found again. */
  const keeps = (spoil: (saved: Snapshot | undefined) => Snapshot | undefined): TestedFactory<object> => {
    let saved: Snapshot | undefined;
    return () => ({
      name: 'keeps',
      setup: (ctx) =>
        ctx.provideCheckpoints({
          find: async () => (spoil(saved) === undefined ? undefined : { path: 'memory' }),
          load: async () => spoil(saved)!,
          save: async () => {},
        }),
      async onTrainBatchEnd(ctx, { batchIndex }) {
        if (ctx.state.epoch === 1 && batchIndex === 0) saved = await ctx.snapshot();
      },
    });
  };

  test('is from those, and a good one passes', async () => {
    expect(
      await saidBy(
        resume,
        keeps((saved) => saved),
      ),
    ).toBe('');
  });

  test('a checkpoint that is not found again is found out: the run begins from its start', async () => {
    expect(
      await saidBy(
        resume,
        keeps(() => undefined),
      ),
    ).toMatch(/^Resumed in the middle of an epoch, the run has 2 epochs, where it had 1\./);
  });

  test('a checkpoint with other weights is found out', async () => {
    const zeroed = (saved: Snapshot | undefined) =>
      saved && {
        ...saved,
        model: Object.fromEntries(
          Object.entries(saved.model).map(([path, tensor]) => [
            path,
            { ...tensor, data: new Float32Array(tensor.data.length) },
          ]),
        ),
      };
    expect(await saidBy(resume, keeps(zeroed as never))).toMatch(/^Resumed in the middle of an epoch, /);
  });
});

describe('teardown', () => {
  test('an onException that throws is found out', async () => {
    const fragile = steadyBut(() => {
      let log: string[] | undefined;
      return {
        onTrainStart() {
          log = [];
        },
        onException: () => void log!.push('failed'),
      };
    });
    expect(await saidBy(teardown, fragile)).toMatch(
      /failed in onException .* must not rely on what was never set up/,
    );
  });

  test('a hook that is of no use after a run that failed is found out', async () => {
    const spoilt = steadyBut((hook) => {
      let isOver = false;
      return {
        setup() {
          hook.average = isOver ? 1 : 0;
        },
        onException() {
          isOver = true;
        },
      };
    });
    expect(await saidBy(teardown, spoilt)).toMatch(
      /In the next run of the same hook, .*\. Reset everything in setup\./,
    );
  });
});

describe('neighbours', () => {
  test('a hook that hides the error of another behind its own is found out', async () => {
    const loud = steadyBut(() => ({
      onError: 'fail',
      teardown: () => {
        throw new Error('closing failed');
      },
    }));
    expect(await saidBy(neighbours, loud)).toContain('closing failed');
  });
});

describe('switching', () => {
  test('a hook that is never switched on may rely on nothing but its setup', async () => {
    const needsStart = steadyBut((hook) => {
      let sums: number[] | undefined;
      return {
        setup: () => {
          hook.average = 0;
          sums = undefined;
        },
        onTrainStart() {
          sums = [];
        },
        onTrainBatchEnd: () => void sums!.push(1),
      };
    });
    expect(await saidBy(switching, needsStart)).toMatch(
      /^Switched on for the first time in the middle of an epoch: Hook "steady" failed in onTrainBatchEnd/m,
    );
  });

  test('a hook that ends the run when it has missed an event is found out', async () => {
    const strict = steadyBut(() => {
      let last = -1;
      return {
        onError: 'fail',
        setup() {
          last = -1;
        },
        onTrainBatchEnd: (_ctx: HookContext, { batchIndex }: { batchIndex: number }) => {
          if (batchIndex > 0 && batchIndex !== last + 1) throw new Error('a batch is missing');
          last = batchIndex;
        },
      };
    });
    expect(await saidBy(switching, strict)).toMatch(/a batch is missing/);
  });

  test('a hook that changes training is not compared with a run without it', async () => {
    const slows = steadyBut(() => ({
      onEpochStart: ({ state }: HookContext) => {
        state.optimizers[0]!.groups[0]!.lrScale = 0.5;
      },
    }));
    expect(await saidBy(switching, slows, { observer: false })).toBe('');
    expect(await saidBy(switching, slows)).toContain('the hook changes training');
  });
});
