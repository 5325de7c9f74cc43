import type { HookLogger } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { openRunFolder } from '#host';
import { trainerError } from '../../errors.js';
import type { RunRecordFile } from './run-record-file.js';

export interface RunWriter {
  readonly id: string;
  /** In Node it is written when this returns: the process may be about to end. */
  write(record: RunRecordFile): void | Promise<void>;
}

/**
 * Makes the folder of a run and writes its record. Training is worth more than its record: a folder that cannot be
 * written any more costs one warning, not the run. But where it `mustBegin`, one that cannot be written from the start
 * is an error: checkpoints and logs would go there, and nobody would miss them until they are needed.
 */
export async function openRunWriter(
  runsDir: string,
  logger: HookLogger,
  mustBegin: boolean,
): Promise<RunWriter | undefined> {
  let hasFailed = false;
  let hasBegun = false;
  const fail = (err: unknown): undefined => {
    if (mustBegin && !hasBegun) throw cannotBegin(runsDir, err);
    if (hasFailed) return undefined;
    hasFailed = true;
    const advice = 'The run continues without it; make that folder writable or choose another one.';
    logger.warn({ err }, `The record of this run cannot be written to ${runsDir}. ${advice}`);
    return undefined;
  };
  const folder = await open(runsDir).catch(fail);
  if (!folder) return undefined;
  const write = (record: RunRecordFile): void | Promise<void> => {
    if (hasFailed) return;
    try {
      const writing = folder.write(record);
      const begun = () => {
        hasBegun = true;
      };
      if (writing) return writing.then(begun, fail);
      begun();
    } catch (error) {
      fail(error);
    }
  };
  return { id: folder.id, write };
}

async function open(runsDir: string): Promise<Awaited<ReturnType<typeof openRunFolder>>> {
  return openRunFolder(runsDir);
}

function cannotBegin(runsDir: string, cause: unknown): Error {
  return trainerError(
    'RUNS_FOLDER',
    `The run needs a folder in ${runsDir} for its record, checkpoints and logs, but it cannot be written: ` +
      `${messageOf(cause)}. Make it writable, choose another one with runsDir, or write nothing with runsDir: false.`,
    cause,
  );
}
