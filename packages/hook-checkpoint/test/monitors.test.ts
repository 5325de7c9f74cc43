import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { readPointer } from '@hookline/safetensors/node';
import { someOf, tempFolder } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { CheckpointOptions } from '../src/index.js';
import { contents, dirOf, infoOf, type Outcome, type RunOptions, run, scripted, stopAt } from './fixture.js';

// The two disagree: the error is lowest in epochs 1 and 2, the points are highest in epochs 4 and 3.
const ERRORS = [0.1, 0.2, 0.6, 0.9, 0.5, 0.4];
const POINTS = [1, 2, 8, 9, 3, 4];

const BOTH: CheckpointOptions = {
  monitor: ['my/error', { metric: 'my/points', mode: 'max', saveTopK: 1 }],
  saveTopK: 1,
  filename: '{epoch}',
};

/** By epoch, so that a resumed run goes on with the values of its epochs. */
const byEpoch = (metric: string, values: readonly number[]): Hook => ({
  name: `values of ${metric}`,
  onEpochEnd: (ctx, { epoch }) => ctx.log({ [metric]: values[epoch]! }),
});

const disagreeing = (): Hook[] => [byEpoch('my/error', ERRORS), byEpoch('my/points', POINTS)];

function train(root: string, options: RunOptions = {}): Promise<Outcome> {
  return run(root, {
    ...options,
    checkpoint: { ...BOTH, ...options.checkpoint },
    hooks: [...disagreeing(), ...(options.hooks ?? [])],
    fit: { epochs: 6, ...options.fit },
    withoutValidation: true,
  });
}

const pointerIn = (dir: string, name: string) => readPointer(join(dir, `${name}.json`));

describe('with two metrics that disagree', () => {
  test('the best by each and the newest are kept, and a pointer names each', async () => {
    const dir = dirOf(await train(tempFolder()));
    expect(contents(dir)).toEqual({
      checkpoints: ['1', '4', '6'],
      files: ['best-my-points.json', 'best.json', 'ended.json', 'last.json'],
    });
    expect(await pointerIn(dir, 'best')).toBe('1');
    expect(await pointerIn(dir, 'best-my-points')).toBe('4');
    expect(await pointerIn(dir, 'last')).toBe('6');
  });

  test('each keeps its own number of checkpoints, or that of the hook', async () => {
    const monitor = ['my/error', { metric: 'my/points', mode: 'max' }] as const;
    const outcome = await train(tempFolder(), { checkpoint: { monitor, saveTopK: 2 } });
    expect(contents(dirOf(outcome)).checkpoints).toEqual(['1', '2', '3', '4', '6']);
    const uneven = [
      { metric: 'my/error', saveTopK: 0 },
      { ...monitor[1], saveTopK: 3 },
    ] as const;
    const points = await train(tempFolder(), { checkpoint: { monitor: uneven } });
    // Three by points; and the best by the other metric, because a pointer names it.
    expect(contents(dirOf(points)).checkpoints).toEqual(['1', '3', '4', '6']);
  });

  test('a checkpoint is saved when it is among the best by either, even without saveLast', async () => {
    const outcome = await train(tempFolder(), { checkpoint: { saveLast: false } });
    expect(contents(dirOf(outcome)).checkpoints).toEqual(['1', '4']);
  });

  test('the manifest holds a rating by each, and the first one where a single metric would have it', async () => {
    const dir = dirOf(await train(tempFolder()));
    const [error, points] = [
      { monitor: 'my/error', mode: 'min', value: 0.9 },
      { monitor: 'my/points', mode: 'max', value: 9 },
    ];
    expect(await infoOf(join(dir, '4'))).toMatchObject({ rating: error, ratings: [error, points] });
  });

  test('one that is NaN does not rank, and the other still does', async () => {
    const outcome = await run(tempFolder(), {
      hooks: [scripted('my/error', [0.5, 0.1, 0.6]), scripted('my/points', [1, Number.NaN, 2])],
      checkpoint: BOTH,
      withoutValidation: true,
    });
    const dir = dirOf(outcome);
    expect(contents(dir).checkpoints).toEqual(['2', '3']);
    expect((await infoOf(join(dir, '2'))).ratings).toEqual([
      { monitor: 'my/error', mode: 'min', value: 0.1 },
    ]);
    expect(await pointerIn(dir, 'best-my-points')).toBe('3');
    expect(outcome.warnings.join()).toContain('my/points is NaN: this checkpoint is not ranked by it');
  });

  test('one that does not exist ends the run, and is named', async () => {
    const failing = train(tempFolder(), { checkpoint: { monitor: ['my/error', 'my/point'] } });
    await expect(failing).rejects.toThrow(
      /"my\/point", but there is no such metric. Did you mean "my\/points"\?/,
    );
  });
});

test('a checkpoint that was saved between two validations is ranked by both metrics after the next one', async () => {
  const outcome = await run(tempFolder(), {
    checkpoint: {
      monitor: ['val/loss', 'train/loss'],
      every: { steps: 4 },
      filename: '{step}',
      saveTopK: -1,
    },
    fit: { epochs: 1 },
  });
  const dir = dirOf(outcome);
  expect(contents(dir).checkpoints).toEqual(['4', '5']);
  const monitorsOf = async (name: string) =>
    (await infoOf(join(dir, name))).ratings!.map(({ monitor }) => monitor);
  expect(await monitorsOf('4')).toEqual(['train/loss']);
  expect(await monitorsOf('5')).toEqual(['val/loss', 'train/loss']);
});

describe('resume', () => {
  /** The names of the checkpoints that were loaded. */
  const loads = (): Hook & { names: string[] } => {
    const names: string[] = [];
    return { name: 'loads', names, onCheckpointLoad: (_ctx, { path }) => void names.push(basename(path)) };
  };

  test('"best" is the best by the first metric, "best-<metric>" the best by another', async () => {
    const root = tempFolder();
    const dir = dirOf(await train(root));
    for (const [resume, name] of [
      ['best', '1'],
      ['best-my-points', '4'],
      ['last', '6'],
    ] as const) {
      const hook = loads();
      const outcome = await train(root, { hooks: [hook], fit: { epochs: 7, maxSteps: 1, resume } });
      expect(hook.names).toEqual([name]);
      rmSync(outcome.result.runDir, { recursive: true });
    }
    expect(contents(dir).checkpoints).toEqual(['1', '4', '6']);
  });

  test('a pointer is followed by a hook that does not monitor its metric, and by one with a dir', async () => {
    const root = tempFolder();
    const dir = join(root, 'mine');
    await train(root, { checkpoint: { dir } });
    const hook = loads();
    await run(root, {
      checkpoint: { dir },
      hooks: [hook, stopAt(21)],
      fit: { epochs: 7, resume: 'best-my-points' },
    });
    expect(hook.names).toEqual(['4']);
    await expect(train(root, { fit: { resume: 'best-my-pints' } })).rejects.toThrow(/no such checkpoint/);
  });

  test('when the best by a metric is damaged, the next best by that metric is taken', async () => {
    const root = tempFolder();
    const monitor = ['my/error', { metric: 'my/points', mode: 'max', saveTopK: 2 }] as const;
    const first = await train(root, { checkpoint: { monitor } });
    const file = join(dirOf(first), '4', 'model.safetensors');
    const bytes = readFileSync(file);
    bytes[bytes.length - 3]! ^= 1;
    writeFileSync(file, bytes);
    const hook = loads();
    const fit = { epochs: 7, maxSteps: 1, resume: 'best-my-points' };
    const { warnings } = await train(root, { checkpoint: { monitor }, hooks: [hook], fit });
    expect(hook.names).toEqual(['3']);
    expect(warnings.join()).toMatch(/Skipped the checkpoint .*4: .*model.safetensors/);
  });

  test.each(someOf([12, 7, 22], 1))(
    'cut off after step %i, a run keeps what an unbroken one keeps',
    async (cut) => {
      const whole = await train(tempFolder());
      const root = tempFolder();
      const first = await train(root, { hooks: [stopAt(cut)] });
      const resumed = await train(root, { fit: { resume: 'auto' } });
      expect(resumed.weights).toEqual(whole.weights);
      const dir = dirOf(first);
      for (const name of ['best', 'best-my-points', 'last']) {
        expect(await pointerIn(dir, name)).toBe(await pointerIn(dirOf(whole), name));
      }
      expect(contents(dir).checkpoints).toEqual(expect.arrayContaining(contents(dirOf(whole)).checkpoints));
    },
  );

  test('in a new folder, the best by each metric are still known and lie where they were', async () => {
    const root = tempFolder();
    const first = await train(root, { fit: { epochs: 4 } });
    const second = await train(root, { fit: { epochs: 6, resume: 'last' } });
    const best = async (name: string) =>
      join(dirOf(second), (await pointerIn(dirOf(second), name)) as string);
    expect(await best('best')).toBe(join(dirOf(first), '1'));
    expect(await best('best-my-points')).toBe(join(dirOf(first), '4'));
    expect(contents(dirOf(second)).checkpoints).toEqual(['6']);
  });

  test('a checkpoint of a hook with one metric is continued with two', async () => {
    const root = tempFolder();
    const one = { monitor: 'my/error', mode: 'min' } as const;
    const first = await train(root, { checkpoint: one, hooks: [stopAt(12)] });
    expect(await infoOf(join(dirOf(first), '1'))).not.toHaveProperty('ratings');
    await train(root, { fit: { resume: 'auto' } });
    const dir = dirOf(first);
    expect(await pointerIn(dir, 'best')).toBe('1');
    expect(await pointerIn(dir, 'best-my-points')).toBe('4');
  });
});

test('a state that was saved when there was one metric still loads, and its best is still known', async () => {
  const root = tempFolder();
  const first = await train(root, { fit: { epochs: 3 } });
  const dir = dirOf(first);
  // As earlier versions saved it: one best, or null.
  const best = { path: '1', rating: { monitor: 'my/error', mode: 'min', value: 0.1 } };
  for (const old of [best, null]) {
    const downgrade: Hook = {
      name: 'downgrade',
      setup(ctx) {
        const { find, load, save } = ctx.checkpoints!;
        ctx.provideCheckpoints({
          find,
          save,
          load: async (checkpoint) => {
            const snapshot = await load(checkpoint);
            const hooks = snapshot.state!.hooks as Record<string, { state: { best: unknown } }>;
            expect(hooks.checkpoint!.state.best).toHaveLength(2);
            hooks.checkpoint!.state.best = old;
            return snapshot;
          },
        });
      },
    };
    const adding: { add?: () => void } = {};
    const resumed = await train(root, {
      onTrainer: (trainer) => {
        adding.add = () => trainer.addHook(downgrade);
      },
      fit: { epochs: 5, resume: join(dir, '3') },
      hooks: [{ name: 'early', setup: () => adding.add!() }],
    });
    const pointer = (await pointerIn(dirOf(resumed), 'best')) as string;
    expect(join(dirOf(resumed), pointer)).toBe(old ? join(dir, '1') : join(dirOf(resumed), '5'));
  }
});
