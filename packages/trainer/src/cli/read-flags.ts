import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean } from '@hookline/hook-api';
import { trainerError } from '../errors.js';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<Given extends Flags> = ReturnType<typeof parseArgs<{ options: Given; strict: true }>>['values'];

/** `parseArgs` of Node, with our errors: an unknown option is reported with the nearest one. */
export function readFlags<const Given extends Flags>(args: readonly string[], flags: Given): Values<Given> {
  return readArguments(args, flags, 0).values;
}

/** The same for a command that also takes up to `most` arguments without a dash. */
export function readArguments<const Given extends Flags>(
  args: readonly string[],
  flags: Given,
  most: number,
): { values: Values<Given>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: flags,
      strict: true,
      allowPositionals: most > 0,
    });
    if (positionals.length > most) throw new Error(`Unexpected argument '${positionals[most]}'`);
    return { values: values as Values<Given>, positionals };
  } catch (cause) {
    const wrong = /'--?([^' ]+)/.exec((cause as Error).message)?.[1];
    const hint = wrong === undefined || wrong in flags ? '' : didYouMean(wrong, Object.keys(flags));
    throw trainerError('CLI_USAGE', `${(cause as Error).message.split('. ')[0]}.${hint}`, cause);
  }
}
