import type { Hook } from '@hookline/hook-api';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { expectTypeOf, test } from 'vitest';
import { type Config, defineConfig } from '../../src/index.js';

// As a hook package declares the types of its options.
declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'config-stopper': { patience?: number };
  }
}

declare const createModel: (hyperparameters?: { units?: number }) => LayersModel;
declare const hook: Hook;
const rest = { model: './model.ts#createModel', data: './data.ts#loadData', fit: { epochs: 1 } } as const;

test('a config takes files, functions and values, with hooks as a map or a list', () => {
  expectTypeOf(
    defineConfig({ ...rest, hooks: { 'config-stopper': { patience: 3 }, progress: false } }),
  ).toExtend<Config>();
  defineConfig({ ...rest, hooks: [hook, ['config-stopper', { patience: 3 }], './hooks/mine.ts#Mine'] });
  defineConfig({
    model: createModel,
    data: async () => ({ train: { xs: [[1]], ys: [[1]] } }),
    fit: { epochs: 1 },
  });
});

test('the functions of model and data get the hyperparameters with their types', () => {
  defineConfig({
    ...rest,
    hyperparameters: { units: 64, name: 'small' },
    model: ({ units, name }) => {
      expectTypeOf(units).toEqualTypeOf<number>();
      expectTypeOf(name).toEqualTypeOf<string>();
      return createModel({ units });
    },
  });
});

test('a wrong name, a wrong option of a hook or a file without a path is a mistake for the compiler', () => {
  // @ts-expect-error
  defineConfig({ ...rest, hooks: { 'config-stopper': { patiense: 3 } } });
  // @ts-expect-error
  defineConfig({ ...rest, hooks: [['config-stopper', { patience: 'three' }]] });
  // @ts-expect-error
  defineConfig({ ...rest, optimiser: 'adam' });
  // @ts-expect-error
  defineConfig({ ...rest, fit: { epochs: 1, batchsize: 3 } });
  // @ts-expect-error
  defineConfig({ ...rest, model: 'model.ts' });
});
