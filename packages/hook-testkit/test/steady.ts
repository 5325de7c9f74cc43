import { join } from 'node:path';
import {
  defineOptions,
  type Hook,
  hookFactory,
  is,
  type LoadedHookState,
  type OptionsSchema,
} from '@hookline/hook-api';
import { plugin, tempFolder } from '@hookline/test-support';
import type { Check } from '../src/check.js';
import { runChecks } from '../src/check-hook.js';
import { type BrokenPromise, checkHook } from '../src/index.js';
import type { TestHookOptions } from '../src/options.js';
import { Subject, type TestedFactory } from '../src/subject.js';

export interface SteadyOptions {
  decay?: number;
}

export const schema: OptionsSchema<SteadyOptions> = defineOptions<SteadyOptions>('steady', {
  decay: is.number({ min: 0, max: 1 }),
});

/** A hook that keeps every promise: logs a moving average of the loss. */
export function steadyHook({ decay = 0.5 }: SteadyOptions = {}): Hook & { average: number } {
  return {
    name: 'steady',
    average: 0,
    setup() {
      this.average = 0;
    },
    onTrainBatchEnd(ctx, { loss = 0 }) {
      this.average = decay * this.average + (1 - decay) * loss;
      ctx.log({ 'steady/loss': this.average });
    },
    saveState() {
      return { average: this.average };
    },
    loadState(state: LoadedHookState) {
      this.average = (state as { average: number }).average;
    },
  };
}

export const steady = hookFactory(schema, steadyHook);

/** The same hook with other methods. */
export function steadyBut(changes: (hook: ReturnType<typeof steadyHook>) => object): TestedFactory<object> {
  return () => {
    const hook = steadyHook();
    return Object.assign(hook, changes(hook)) as Hook;
  };
}

/** A package that is as it should be, unless `json` says otherwise; gives its package.json. */
export function steadyPackage(json: object = {}): string {
  const files = plugin('trainer-hook-steady', 'steady', {
    json: { keywords: ['trainer-hook'], ...json },
  });
  return join(tempFolder(files), 'package.json');
}

export function brokenPromises(
  factory: TestedFactory<object>,
  options: object = {},
): Promise<BrokenPromise[]> {
  return checkHook<object>(factory, { package: steadyPackage(), options });
}

/** A hook of this factory in a package that is as it should be, unless `json` says otherwise. */
export function subjectOf(
  factory: TestedFactory<object>,
  settings: TestHookOptions = {},
  json: object = {},
): Subject {
  const file = steadyPackage(json);
  const surroundings = { testFile: () => file, importModule: (path: string) => import(path) };
  return new Subject(factory as TestedFactory, settings, surroundings);
}

/** What one check says of a hook, in one text; '' when all is well. */
export async function saidBy(
  check: Check,
  factory: TestedFactory<object>,
  settings: TestHookOptions = {},
): Promise<string> {
  const found = await runChecks(subjectOf(factory, settings), [check]);
  return found.flatMap(({ problems }) => problems).join('\n');
}
