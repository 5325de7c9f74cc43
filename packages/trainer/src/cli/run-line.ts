import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOf } from '../run/record/status-of.js';

/** What the record says about the run that a folder is, or lies in; nothing where there is no record. */
export function runLine(folder: string): string {
  for (const place of ['.', '..', '../..']) {
    try {
      const record = JSON.parse(readFileSync(join(folder, place, 'run.json'), 'utf8'));
      const status = statusOf(record);
      return `  Run ${record.id}: ${status === 'died' ? 'died; its process is gone' : status}.\n`;
    } catch {
      // Not there, or not a record.
    }
  }
  return '';
}
