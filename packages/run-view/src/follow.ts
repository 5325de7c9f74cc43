import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLines } from './lines.js';
import { logOf, readExtras, readRecord, take, viewOf } from './read-run.js';
import type { RunView } from './run-view.js';
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
  for (;;) {
    const marks = await marksOf(folder);
    // A log that became shorter is another one.
    const isNew = marks.logSize < position || builder === undefined;
    if (marks.text !== seen || isNew) {
      seen = marks.text;
      const record = await readRecord(folder);
      if (isNew || !builder) {
        builder = new ViewBuilder(record.id || undefined);
        position = 0;
      }
      position = await takeNews(folder, position, builder);
      const view = viewOf(folder, record, builder.view(), await readExtras(folder));
      yield view;
      if (isOver(view)) return;
    }
    try {
      await sleep(everyMs, undefined, { signal });
    } catch {
      return;
    }
  }
}

async function takeNews(folder: string, from: number, builder: ViewBuilder): Promise<number> {
  try {
    const { end, tooLong } = await readLines(logOf(folder), from, (text) => take(builder, text));
    builder.skip(tooLong);
    return end;
  } catch {
    return from;
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
