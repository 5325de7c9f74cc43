import type { Hook, Snapshot } from '@hookline/hook-api';
import { collectingLogger, errorOf, regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const disposed = tf.scalar(1);
disposed.dispose();

const broken: [string, Hook['saveState'] & {}, string][] = [
  [
    'that throws',
    () => {
      throw new Error('no memory of it');
    },
    'Hook "broken" could not save its state: no memory of it',
  ],
  [
    'that is not JSON',
    () => ({ made: new Date(0) }) as never,
    'hook "broken" saves cannot be kept: "made" is a Date',
  ],
  [
    'with a disposed tensor',
    () => ({ json: null, tensors: { mean: disposed } }),
    '"mean" is a tensor that was disposed',
  ],
];

async function fail(hooks: Hook[]) {
  const logger = collectingLogger();
  const saved: Snapshot[] = [];
  const saver: Hook = {
    name: 'saver',
    saveState: () => ({ mine: 7 }),
    onEpochEnd: async (ctx) => void (await ctx.snapshot()),
    onError: 'fail',
    onException: async (ctx) => void saved.push(await ctx.snapshot()),
  };
  const trainer = quietTrainer({ model: regressor(), logger, hooks: [...hooks, saver] });
  const error = await errorOf(trainer.fit({ train: regression(8), epochs: 2, batchSize: 4 }));
  return {
    error,
    saved,
    errors: logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message),
  };
}

describe('a state of a hook', () => {
  test.each(broken)(
    '%s ends the run, and after that everything else is saved',
    async (_what, saveState, message) => {
      const { error, saved, errors } = await fail([{ name: 'broken', saveState }]);
      expect(error.code).toBe('HOOK_STATE');
      expect(error.message).toContain(message);
      expect(saved[0]!.state!.hooks).toEqual({ broken: {}, saver: { state: { mine: 7 } } });
      expect(Object.keys(saved[0]!.model)).toHaveLength(4);
      expect(errors.at(-1)).toContain('The checkpoint is saved without the state of a hook. ');
      expect(errors.at(-1)).toContain(message);
    },
  );
});
