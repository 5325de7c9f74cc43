import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean } from '@hookline/hook-api';
import { trainerError } from '../errors.js';

/** `parseArgs` of Node, with our errors: an unknown option is reported with the nearest one. */
export function readFlags<const Flags extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  flags: Flags,
): ReturnType<typeof parseArgs<{ options: Flags; strict: true }>>['values'] {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true }).values;
  } catch (cause) {
    const wrong = /'--?([^' ]+)/.exec((cause as Error).message)?.[1];
    const hint = wrong === undefined || wrong in flags ? '' : didYouMean(wrong, Object.keys(flags));
    throw trainerError('CLI_USAGE', `${(cause as Error).message.split('. ')[0]}.${hint}`, cause);
  }
}
