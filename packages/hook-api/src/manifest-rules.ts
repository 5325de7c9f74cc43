import { didYouMean } from './nearest.js';
import { show } from './show.js';

export interface ManifestProblem {
  /** Where, as in `trainerHooks.hooks["early-stopping"].entry`. */
  path: string;
  message: string;
}

/** What the check of a field of a package.json found. */
export interface ManifestFindings {
  /** Any of these rejects the whole field. */
  problems: ManifestProblem[];
  /** Unknown keys: mistyped, or from a later version. */
  warnings: ManifestProblem[];
}

/** `my-hook`: the names of hooks and of commands. */
export function isPluginName(name: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name);
}

export function warnOfUnknownKeys(
  report: ManifestFindings,
  at: string,
  value: object,
  known: string[],
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    report.warnings.push({ path: `${at}.${key}`, message: `unknown key.${didYouMean(key, known)}` });
  }
}

export function refuse(report: ManifestFindings, path: string, expected: string, value: unknown): void {
  report.problems.push({ path, message: `expected ${expected}, got ${show(value)}` });
}

export function isPathInside(path: unknown): path is string {
  return typeof path === 'string' && /^\.\/./.test(path) && !path.split(/[\\/]/).includes('..');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
