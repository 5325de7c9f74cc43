import { relative } from 'node:path';

/** A path for people: relative to the current folder, unless it lies outside of it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' || short.startsWith('..') ? path : short;
}
