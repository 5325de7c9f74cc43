import { dirname, join, resolve } from '@hookline/host';
import { readLog } from './read-log.js';
import { type RecordedView, readRecord } from './run-record.js';
import type { EarlierRun } from './run-view.js';
import type { ViewBuilder } from './view-builder.js';

/** A run that was cut off again and again; what came before that is left out. */
const MOST_RUNS = 200;

/**
 * The runs that a run continues, the oldest first: each has a folder and a log of its own, beside those of the others. Their
 * lines are added to the builder, which is then ready for the log of the run itself.
 */
export async function addEarlierRuns(
  folder: string,
  record: RecordedView,
  builder: ViewBuilder,
): Promise<EarlierRun[]> {
  const chain: { folder: string; record: RecordedView }[] = [];
  const seen = new Set([resolve(folder)]);
  for (let { resumedFrom } = record; resumedFrom !== undefined && chain.length < MOST_RUNS; ) {
    const earlier = resolve(join(dirname(resolve(folder)), resumedFrom));
    if (seen.has(earlier)) break;
    seen.add(earlier);
    const found = await readRecord(earlier);
    chain.unshift({ folder: earlier, record: { ...found, id: found.id || resumedFrom } });
    ({ resumedFrom } = found);
  }
  const earlier: EarlierRun[] = [];
  for (const { folder: path, record: found } of chain) {
    const before = builder.lines;
    builder.continueWith(found.id);
    await readLog(path, 0, builder);
    earlier.push({ id: found.id, durationMs: found.durationMs, isKnown: builder.lines > before });
  }
  builder.continueWith(record.id || undefined);
  return earlier;
}
