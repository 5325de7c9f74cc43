import type { JsonValue } from '@hookline/hook-api';
import { environmentVariables } from '@hookline/host';
import { trainerError } from '../errors.js';

/** Settings that replace those of the config file, by path: `{ 'hooks.early-stopping.patience': 3 }`. */
export type Overrides = Readonly<Record<string, JsonValue>>;

/** The assignments of `--set path=value`; a later one of the same path wins. */
export function overridesOf(assignments: readonly string[], from = '--set'): Overrides {
  return Object.fromEntries(assignments.map((text) => parseAssignment(text, from)));
}

/** The assignments in `HOOKLINE_SET`, separated by `;` or line breaks. */
export function overridesInEnvironment(
  env: Readonly<Record<string, string | undefined>> = environmentVariables(),
): Overrides {
  const assignments = (env.HOOKLINE_SET ?? '').split(/[;\n]/).map((text) => text.trim());
  return overridesOf(
    assignments.filter((text) => text !== ''),
    'HOOKLINE_SET',
  );
}

/** A value is JSON where it can be, and text otherwise: 3, true, ["lr"], adam. */
function parseAssignment(text: string, from: string): [path: string, value: JsonValue] {
  // A quoted key may hold an equals sign.
  const [, path, value] = /^((?:[^="]|"(?:[^"\\]|\\.)*")+)=([\s\S]*)$/.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    throw trainerError(
      'BAD_CONFIG',
      `${from}: "${text}" has no value. Expected path=value, such as fit.epochs=3.`,
    );
  }
  try {
    return [path.trim(), JSON.parse(value)];
  } catch {
    return [path.trim(), value];
  }
}
