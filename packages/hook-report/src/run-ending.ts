import { readRun } from '@hookline/run-view';
import { endingText } from './terminal/ending-text.js';
import { reportFileOf } from './write-report.js';

/**
 * What the hook prints when a run is over, for programs that have something to say before it: its loss as a small curve,
 * where its page is and how to open it. Switch the hook's own off: `report: { print: false }`.
 */
export async function runEnding(folder: string): Promise<string> {
  return endingText(await readRun(folder), reportFileOf(folder));
}
