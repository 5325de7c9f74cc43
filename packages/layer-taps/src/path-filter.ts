import { LayerTapsError } from './errors.js';

/**
 * Which paths are meant: a path, a glob (`*` stays inside a segment, `**` crosses segments), a regular expression,
 * a list of them, or a test.
 */
export type PathFilter = string | RegExp | readonly (string | RegExp)[] | ((path: string) => boolean);

export function matchesPath(filter: PathFilter, path: string): boolean {
  return pathTests(filter).some((test) => test.matches(path));
}

export interface PathTest {
  readonly source: string | RegExp | ((path: string) => boolean);
  matches(path: string): boolean;
}

/** One test per entry of the filter, so that each can be asked whether it matched anything. */
export function pathTests(filter: PathFilter): PathTest[] {
  if (typeof filter === 'function') return [{ source: filter, matches: filter }];
  const entries: readonly unknown[] = Array.isArray(filter) ? filter : [filter];
  return entries.map(pathTest);
}

function pathTest(entry: unknown): PathTest {
  if (typeof entry === 'string') {
    const glob = entry.includes('*') ? globPattern(entry) : undefined;
    return { source: entry, matches: (path) => path === entry || glob?.test(path) === true };
  }
  if (entry instanceof RegExp) {
    // Unlike `test`, `search` is not moved by the lastIndex of a pattern with the g flag.
    return { source: entry, matches: (path) => path.search(entry) !== -1 };
  }
  throw new LayerTapsError(
    'BAD_FILTER',
    'A path filter is a path, a glob, a RegExp, a list of these, or a function of the path; ' +
      `got ${entry === null ? 'null' : typeof entry}.`,
  );
}

function globPattern(glob: string): RegExp {
  const source = glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/(?<![^/])\*\*\/|\*\*|\*/g, (stars) => {
    // A `**/` that is a whole segment also stands for no segment at all.
    if (stars === '**/') return '(?:.*/)?';
    return stars === '**' ? '.*' : '[^/]*';
  });
  return new RegExp(`^${source}$`);
}
