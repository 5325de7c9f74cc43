import { join } from 'node:path';
import type { HookLogger } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { trainerError } from '../../errors.js';
import { makeRunFolder, writeJson } from '../../host/index.js';
import type { RunRecordFile } from './run-record-file.js';

export interface RunWriter {
  readonly id: string;
  write(record: RunRecordFile): void;
}

/**
 * Makes the folder of a run and writes its record. Training is worth more than its record: a folder that cannot be
 * written any more costs one warning, not the run. But where it `mustBegin`, one that cannot be written from the start
 * is an error: checkpoints and logs would go there, and nobody would miss them until they are needed.
 */
export function openRunWriter(
  runsDir: string,
  logger: HookLogger,
  mustBegin: boolean,
): RunWriter | undefined {
  let failed = false;
  let begun = false;
  const attempt = <T>(action: () => T): T | undefined => {
    if (failed) return undefined;
    try {
      return action();
    } catch (err) {
      failed = true;
      if (mustBegin && !begun) throw cannotBegin(runsDir, err);
      const advice = 'The run continues without it; make that folder writable or choose another one.';
      logger.warn({ err }, `The record of this run cannot be written to ${runsDir}. ${advice}`);
      return undefined;
    }
  };
  const id = attempt(() => makeRunFolder(runsDir));
  if (id === undefined) return undefined;
  const write = (record: RunRecordFile): void => {
    attempt(() => writeJson(join(runsDir, id, 'run.json'), record));
    begun = true;
  };
  return { id, write };
}

function cannotBegin(runsDir: string, cause: unknown): Error {
  return trainerError(
    'RUNS_FOLDER',
    `The run needs a folder in ${runsDir} for its record, checkpoints and logs, but it cannot be written: ` +
      `${messageOf(cause)}. Make it writable, choose another one with runsDir, or write nothing with runsDir: false.`,
    cause,
  );
}
