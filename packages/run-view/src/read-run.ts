import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isConfusion } from './confusion.js';
import { readLines } from './lines.js';
import { parseLine } from './log-line.js';
import { profileOf } from './profile.js';
import { type RecordedView, recordedView } from './run-record.js';
import type { RunView } from './run-view.js';
import { type LoggedView, ViewBuilder } from './view-builder.js';

export interface ReadRunOptions {
  /** What a hook has collected itself, for a run without `log.jsonl`. */
  readonly fallback?: ViewBuilder | undefined;
}

/** Reads the folder of a run, whatever state it is in: running, dead, without a log, with a torn last line. */
export async function readRun(folder: string, { fallback }: ReadRunOptions = {}): Promise<RunView> {
  const record = await readRecord(folder);
  const log = await readLog(folder, record.id);
  const builder = log.lines > 0 || !fallback ? log : fallback;
  return viewOf(folder, record, builder.view(), await readExtras(folder));
}

/** Everything that the folder tells beside its log. */
export interface Extras {
  readonly profile: RunView['profile'];
  readonly confusion: RunView['confusion'];
}

export async function readRecord(folder: string): Promise<RecordedView> {
  return recordedView(await readJson(join(folder, 'run.json')));
}

export async function readExtras(folder: string): Promise<Extras> {
  const confusion = await readJson(join(folder, 'confusion.json'));
  return {
    profile: profileOf(await readJson(join(folder, 'profile.json'))),
    confusion: isConfusion(confusion) ? confusion : undefined,
  };
}

/** Joins what the files of a run tell. Where the record says that it runs, the log may know better how it ended. */
export function viewOf(
  folder: string,
  record: RecordedView,
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

async function readLog(folder: string, run: string): Promise<ViewBuilder> {
  const builder = new ViewBuilder(run || undefined);
  try {
    const { tooLong } = await readLines(logOf(folder), 0, (text) => take(builder, text));
    builder.skip(tooLong);
  } catch {
    // There is none: json-log was off, or writes elsewhere.
  }
  return builder;
}

export function logOf(folder: string): string {
  return join(folder, 'log.jsonl');
}

export function take(builder: ViewBuilder, text: string): void {
  const line = parseLine(text);
  if (line) builder.add(line);
  else if (text.trim() !== '') builder.skip();
}

/** A record has some kilobytes, or megabytes where a configuration lists data. */
const LARGEST_JSON = 2 ** 26;

async function readJson(file: string): Promise<unknown> {
  try {
    if ((await stat(file)).size > LARGEST_JSON) return undefined;
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
