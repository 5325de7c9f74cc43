import {
  defineOptions,
  didYouMean,
  type Hook,
  hookFactory,
  is,
  type OptionsSchema,
} from '@hookline/hook-api';
import { consoleLog } from './console/console-log.js';
import type { ConsoleLogOptions } from './console/options.js';
import { csvLog } from './csv/csv-log.js';
import type { CsvLogOptions } from './csv/options.js';
import { loggingError } from './errors.js';
import { jsonLog } from './json/json-log.js';
import type { JsonLogOptions } from './json/options.js';
import { mlflow } from './mlflow/mlflow.js';
import type { MlflowOptions } from './mlflow/options.js';
import type { TensorboardOptions } from './tensorboard/options.js';
import { tensorboard } from './tensorboard/tensorboard.js';
import type { WandbOptions } from './wandb/options.js';
import { wandb } from './wandb/wandb.js';

interface BackendOptions {
  'console-log': ConsoleLogOptions;
  'json-log': JsonLogOptions;
  'csv-log': CsvLogOptions;
  tensorboard: TensorboardOptions;
  wandb: WandbOptions;
  mlflow: MlflowOptions;
}

export type BackendName = keyof BackendOptions;

export interface LoggingOptions {
  /** Names, or names with options, `true` or `false`. Default: console-log and json-log. */
  backends?: readonly BackendName[] | { readonly [Name in BackendName]?: BackendOptions[Name] | boolean };
}

const schema = defineOptions<LoggingOptions>('logging', { backends: is.object });

/**
 * Makes several logging hooks at once; each keeps its own name and can be switched alone.
 *
 * @example logging({ backends: { 'console-log': { every: 50 }, tensorboard: true } })
 */
export const logging: ((options?: LoggingOptions) => Hook[]) & {
  readonly options: OptionsSchema<LoggingOptions>;
} = hookFactory(schema, ({ backends = ['console-log', 'json-log'] }) => {
  const entries = Array.isArray(backends)
    ? backends.map((name) => [name, true] as const)
    : Object.entries(backends);
  return entries.flatMap(([name, settings]) => {
    const make = factoryOf(name);
    return settings === false ? [] : [make(settings === true ? undefined : settings)];
  });
});

const BACKENDS: { readonly [Name in BackendName]: (options?: BackendOptions[Name]) => Hook } = {
  'console-log': consoleLog,
  'json-log': jsonLog,
  'csv-log': csvLog,
  tensorboard,
  wandb,
  mlflow,
};

function factoryOf(name: string): (options?: object) => Hook {
  if (Object.hasOwn(BACKENDS, name)) return BACKENDS[name as BackendName];
  const names = Object.keys(BACKENDS);
  throw loggingError(
    'HOOK_OPTIONS',
    `logging() has no backend "${name}".${didYouMean(name, names)} Backends: ${names.join(', ')}.`,
  );
}
