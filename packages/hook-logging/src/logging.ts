import {
  defineOptions,
  didYouMean,
  type Hook,
  HooklineError,
  is,
  type OptionsSchema,
} from '@hookline/hook-api';
import { type ConsoleLogOptions, consoleLog } from './console-log.js';
import { type CsvLogOptions, csvLog } from './csv-log.js';
import { type JsonLogOptions, jsonLog } from './json-log.js';
import { type MlflowOptions, mlflow } from './mlflow/mlflow.js';
import { type TensorboardOptions, tensorboard } from './tensorboard/tensorboard.js';
import { type WandbOptions, wandb } from './wandb.js';

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

const BACKENDS: { readonly [Name in BackendName]: (options?: BackendOptions[Name]) => Hook } = {
  'console-log': consoleLog,
  'json-log': jsonLog,
  'csv-log': csvLog,
  tensorboard,
  wandb,
  mlflow,
};

const BACKEND_NAMES = Object.keys(BACKENDS) as BackendName[];

const schema = defineOptions<LoggingOptions>('logging', { backends: is.object });

/**
 * Makes several logging hooks at once; each keeps its own name and can be switched alone.
 *
 * @example logging({ backends: { 'console-log': { every: 50 }, tensorboard: true } })
 */
export const logging: ((options?: LoggingOptions) => Hook[]) & { readonly options: OptionsSchema } =
  Object.assign(createHooks, { options: schema });

function createHooks(options: LoggingOptions = {}): Hook[] {
  schema.check(options);
  const { backends = ['console-log', 'json-log'] } = options;
  const entries = Array.isArray(backends)
    ? backends.map((name) => [name, true] as const)
    : Object.entries(backends);
  return entries.flatMap(([name, settings]) => {
    if (!Object.hasOwn(BACKENDS, name)) {
      throw new HooklineError(
        'HOOK_OPTIONS',
        `logging() knows no backend "${name}".${didYouMean(name, BACKEND_NAMES)} ` +
          `Backends: ${BACKEND_NAMES.join(', ')}.`,
      );
    }
    if (settings === false) return [];
    return [BACKENDS[name as BackendName](settings === true ? undefined : settings)];
  });
}
