import { fateOf } from '@hookline/host';
import type { RunRecordFile } from './run-record-file.js';

/** The status in a record, or `died` for a run that is said to be running while its process is gone. */
export function statusOf({
  status,
  process,
}: Pick<RunRecordFile, 'status' | 'process'>): RunRecordFile['status'] | 'died' {
  return status === 'running' && fateOf(process) === 'dead' ? 'died' : status;
}
