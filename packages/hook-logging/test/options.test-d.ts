import type { HookOptionsByName, OptionsOf } from '@hookline/hook-api';
import { describe, expectTypeOf, test } from 'vitest';
import {
  type ConsoleLogOptions,
  type CsvLogOptions,
  csvLog,
  type JsonLogOptions,
  type MlflowOptions,
  type TensorboardOptions,
  type WandbOptions,
} from '../src/index.js';

/** As the trainer takes them: `hooks: { 'csv-log': { every: 5 } }`. */
function byName(_hooks: Partial<HookOptionsByName>): void {}

describe('options of the logging hooks by name', () => {
  test('are those of the factories', () => {
    expectTypeOf<OptionsOf<'console-log'>>().toEqualTypeOf<ConsoleLogOptions>();
    expectTypeOf<OptionsOf<'json-log'>>().toEqualTypeOf<JsonLogOptions>();
    expectTypeOf<OptionsOf<'csv-log'>>().toEqualTypeOf<CsvLogOptions>();
    expectTypeOf<OptionsOf<'tensorboard'>>().toEqualTypeOf<TensorboardOptions>();
    expectTypeOf<OptionsOf<'wandb'>>().toEqualTypeOf<WandbOptions>();
    expectTypeOf<OptionsOf<'mlflow'>>().toEqualTypeOf<MlflowOptions>();
    expectTypeOf(csvLog).parameter(0).toEqualTypeOf<CsvLogOptions | undefined>();
  });

  test('accept what there is, and refuse what there is not', () => {
    byName({ 'console-log': { every: false }, 'json-log': { level: 'warn' }, wandb: { project: 'digits' } });
    // @ts-expect-error There is no such option.
    byName({ 'csv-log': { evry: 5 } });
    // @ts-expect-error One of three levels.
    byName({ 'json-log': { level: 'loud' } });
    // @ts-expect-error A folder is a string.
    byName({ tensorboard: { dir: 3 } });
  });
});
