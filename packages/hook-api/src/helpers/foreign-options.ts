import { HooklineError } from '../errors.js';
import type { OptionsSchema } from '../options.js';
import { type ForeignNames, foreignName } from './check-options.js';

/** The same options of a hook; one that people know by another name is reported with what to write here. */
export function withForeignNames<Options extends object>(
  schema: OptionsSchema<Options>,
  hook: string,
  foreign: ForeignNames,
): OptionsSchema<Options> {
  const problemOf = (options: unknown): string | undefined => {
    const name = foreignName(options, schema.names, foreign);
    return name && `Hook "${hook}" has no option "${name.given}". ${name.hint}`;
  };
  return {
    ...schema,
    '~standard': {
      ...schema['~standard'],
      validate: (options) => {
        const message = problemOf(options);
        return message ? { issues: [{ message }] } : schema['~standard'].validate(options);
      },
    },
    check: (options) => {
      const message = problemOf(options);
      if (message) throw new HooklineError('HOOK_OPTIONS', message);
      schema.check(options);
    },
  };
}
