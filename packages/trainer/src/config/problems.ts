import { messageOf } from '@hookline/hook-api/helpers';
import { shortPath } from '#host';
import { trainerError } from '../errors.js';

/** One thing that is wrong with a config. */
export interface ConfigProblem {
  /** Such as `hooks.early-stopping.patience`; empty for the config as a whole. */
  readonly path: string;
  readonly message: string;
}

/** What `check` says is wrong with the value at `path`. */
export function problemsOf(path: string, check: () => unknown): ConfigProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    return problemsIn(error, path);
  }
}

/** The problems that an error about the value at `path` tells: one, or each line of its list. */
export function problemsIn(error: unknown, path: string): ConfigProblem[] {
  // Where the config comes from is said once, for all of them.
  const message = messageOf(error)
    .replace(/^(new Trainer\(\)|fit\(\)): /, '')
    .replace(new RegExp(`^${path.split('.').at(-1)} (?=is )`), '');
  const lines = message.split('\n').flatMap((line) => /^ {2}- (.*)$/.exec(line)?.[1] ?? []);
  return lines.length === 0 ? [{ path, message }] : lines.map((line) => optionProblem(line, path));
}

/** The wording of options in hook-api names the option, which belongs to the path. */
export function optionProblem(message: string, path: string): ConfigProblem {
  const [, unknown] = /^unknown option "([^"]+)"/.exec(message) ?? [];
  const [prefix, wrong] = /^"([^"]+)" (?=must be )/.exec(message) ?? [];
  const option = unknown ?? wrong;
  if (option === undefined) return { path, message };
  return { path: joined(path, option), message: message.slice(prefix?.length ?? 0) };
}

/** One error for everything, so that nobody has to mend a config one start at a time. */
export function configError(file: string, problems: readonly ConfigProblem[]): Error {
  const what = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const lines = problems.map(({ path, message }) => `\n  - ${path === '' ? '' : `${path}: `}${message}`);
  return trainerError('BAD_CONFIG', `${shortPath(file)} has ${what}:${lines.join('')}`);
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
