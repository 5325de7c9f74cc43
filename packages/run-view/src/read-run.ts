import { basename, join, resolve } from '@hookline/host';
import { isConfusion } from './confusion.js';
import { addEarlierRuns } from './earlier-runs.js';
import { profileOf } from './profile.js';
import { readJson } from './read-json.js';
import { readLog } from './read-log.js';
import { type RecordedView, readRecord } from './run-record.js';
import type { RunView } from './run-view.js';
import { type LoggedView, ViewBuilder } from './view-builder.js';

export interface ReadRunOptions {
  /** What a hook has collected itself, for a run without `log.jsonl`. */
  readonly fallback?: ViewBuilder | undefined;
}

/** Reads the folder of a run, whatever state it is in: running, dead, without a log, with a torn last line. */
export async function readRun(folder: string, { fallback }: ReadRunOptions = {}): Promise<RunView> {
  const record = await readRecord(folder);
  const log = new ViewBuilder();
  const earlier = await addEarlierRuns(folder, record, log);
  const before = log.lines;
  await readLog(folder, 0, log);
  const builder = log.lines > before || !fallback ? log : fallback;
  return viewOf(folder, record, builder.view(), { ...(await readExtras(folder)), earlier });
}

/** Everything that the folder tells beside its log. */
export interface Extras {
  readonly profile: RunView['profile'];
  readonly confusion: RunView['confusion'];
  readonly earlier: RunView['earlier'];
}

export async function readExtras(folder: string): Promise<Omit<Extras, 'earlier'>> {
  const confusion = await readJson(join(folder, 'confusion.json'));
  return {
    profile: profileOf(await readJson(join(folder, 'profile.json'))),
    confusion: isConfusion(confusion) ? confusion : undefined,
  };
}

/** Joins what the files of a run tell. Where the record says that it runs, the log may know better how it ended. */
export function viewOf(
  folder: string,
  { resumedFrom: _resumedFrom, ...record }: RecordedView,
  { ended, seconds, ...log }: LoggedView,
  extras: Extras,
): RunView {
  const isOpen = record.status === 'running' || record.status === 'died' || record.status === 'unknown';
  const outcome = isOpen && ended ? ended : record;
  return {
    ...record,
    ...log,
    ...extras,
    folder,
    id: record.id || basename(resolve(folder)),
    status: outcome.status,
    stopReason: outcome.stopReason,
    failure: outcome.failure,
    durationMs: record.durationMs ?? (seconds === undefined ? undefined : seconds * 1000),
    best: record.best ?? log.best,
    metrics: { ...log.metrics, ...record.metrics },
  };
}
