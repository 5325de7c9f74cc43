/** For runs of several processes only: whoever trains alone, and every page, does not load it. */
export function loadRanks(): Promise<typeof import('./ranks.js')> {
  return import('./ranks.js');
}
