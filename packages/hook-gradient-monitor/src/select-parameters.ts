import { type HooklineError, nearest } from '@hookline/hook-api';
import { matchesPath, type PathFilter } from '@hookline/layer-taps';
import { gradientMonitorError } from './errors.js';
import { listSome } from './list-some.js';

/**
 * The paths that the filter selects. A name without a star selects a parameter, or a layer and everything below it.
 * A part of the filter that matches nothing is an error: a mistyped name would silently watch nothing.
 */
export function selectParameters(
  hook: string,
  filter: PathFilter | undefined,
  paths: readonly string[],
): Set<string> {
  if (filter === undefined) return new Set(paths);
  const entries = Array.isArray(filter) ? filter : [filter as Exclude<PathFilter, readonly unknown[]>];
  const selected = new Set<string>();
  const missed: Entry[] = [];
  for (const entry of entries) {
    const found = paths.filter((path) => matchesPath(broadened(entry), path));
    if (found.length === 0) missed.push(entry);
    for (const path of found) selected.add(path);
  }
  if (missed.length > 0) throw noMatch(hook, missed, paths);
  return selected;
}

type Entry = string | RegExp | ((path: string) => boolean);

function broadened(entry: Entry): PathFilter {
  return typeof entry === 'string' && !entry.includes('*') ? [entry, `${entry}/**`] : entry;
}

function noMatch(hook: string, missed: readonly Entry[], paths: readonly string[]): HooklineError {
  const lines = missed.map((entry) => `  - ${nameOf(entry)} matches no parameter.${hint(entry, paths)}`);
  return gradientMonitorError(
    'NO_PARAMETER_MATCHES',
    `Hook "${hook}" was given params that are not in the model:\n${lines.join('\n')}\n` +
      `Parameters: ${listSome(paths, 20) || 'none'}. Give the path of a parameter, the path of a layer (for everything below it) or a glob such as "**/kernel".`,
  );
}

function nameOf(entry: Entry): string {
  if (typeof entry === 'string') return `"${entry}"`;
  return entry instanceof RegExp ? String(entry) : 'The function';
}

function hint(entry: Entry, paths: readonly string[]): string {
  if (typeof entry !== 'string') return '';
  // People write the last segment, or a layer inside another, as if it were the whole path.
  const deeper = [`**/${entry}`, `**/${entry}/**`].find((glob) =>
    paths.some((path) => matchesPath(glob, path)),
  );
  const close = deeper ?? nearest(entry, new Set(paths.flatMap(pathAndLayers)));
  return close === undefined ? '' : ` Did you mean "${close}"?`;
}

/** `a/b/c` is also below `a` and `a/b`. */
function pathAndLayers(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
