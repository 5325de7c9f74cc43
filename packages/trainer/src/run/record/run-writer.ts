import { join } from 'node:path';
import type { HookLogger } from '@hookline/hook-api';
import { makeRunFolder, writeJson } from '../../host/index.js';
import type { RunRecordFile } from './run-record-file.js';

export interface RunWriter {
  readonly id: string;
  write(record: RunRecordFile): void;
}

/**
 * Makes the folder of a run and writes its record. Training is worth more than its record, so a folder that
 * cannot be written costs one warning, not the run.
 */
export function openRunWriter(runsDir: string, logger: HookLogger): RunWriter | undefined {
  let failed = false;
  const attempt = <T>(action: () => T): T | undefined => {
    if (failed) return undefined;
    try {
      return action();
    } catch (err) {
      failed = true;
      const advice = 'The run continues without it; make that folder writable or choose another one.';
      logger.warn({ err }, `The record of this run cannot be written to ${runsDir}. ${advice}`);
      return undefined;
    }
  };
  const id = attempt(() => makeRunFolder(runsDir));
  if (id === undefined) return undefined;
  return { id, write: (record) => attempt(() => writeJson(join(runsDir, id, 'run.json'), record)) };
}
