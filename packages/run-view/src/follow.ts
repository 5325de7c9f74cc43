import { join, sleep, stat } from '@hookline/host';
import { addEarlierRuns } from './earlier-runs.js';
import { logOf, readLog } from './read-log.js';
import { readExtras, viewOf } from './read-run.js';
import { readRecord } from './run-record.js';
import type { EarlierRun, RunView } from './run-view.js';
import { ViewBuilder } from './view-builder.js';

export interface FollowOptions {
  /** Milliseconds between two looks. Default 500. */
  readonly everyMs?: number | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The view of a run, and again whenever its folder has changed, until the run is over. A look at a folder without
 * news is two `stat`; news costs what was added. The series of a view grow with the next one: whoever keeps points
 * copies them.
 */
export async function* follow(
  folder: string,
  { everyMs = 500, signal }: FollowOptions = {},
): AsyncGenerator<RunView, void> {
  let position = 0;
  let seen = '';
  let builder: ViewBuilder | undefined;
  let origin: string | undefined;
  let earlier: EarlierRun[] = [];
  for (;;) {
    const marks = await marksOf(folder);
    // A log that became shorter is another one.
    const isNew = marks.logSize < position || builder === undefined;
    if (marks.text !== seen || isNew) {
      seen = marks.text;
      const record = await readRecord(folder);
      // What it continues is recorded a moment after its folder is there.
      if (isNew || !builder || record.resumedFrom !== origin) {
        builder = new ViewBuilder();
        origin = record.resumedFrom;
        earlier = await addEarlierRuns(folder, record, builder);
        position = 0;
      }
      position = await readLog(folder, position, builder);
      const view = viewOf(folder, record, builder.view(), { ...(await readExtras(folder)), earlier });
      yield view;
      if (isOver(view)) return;
    }
    try {
      await sleep(everyMs, signal);
    } catch {
      return;
    }
  }
}

/** A run whose process is gone writes nothing more. */
function isOver({ status, finishedAt }: RunView): boolean {
  return status === 'died' || (status !== 'running' && finishedAt !== undefined);
}

async function marksOf(folder: string): Promise<{ text: string; logSize: number }> {
  const [log, record] = await Promise.all(
    [logOf(folder), join(folder, 'run.json')].map((file) => stat(file).catch(() => undefined)),
  );
  return {
    text: [log?.size, log?.mtimeMs, record?.size, record?.mtimeMs].join(' '),
    logSize: log?.size ?? 0,
  };
}
