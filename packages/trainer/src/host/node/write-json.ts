import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { finiteOrText } from '@hookline/hook-api/helpers';

/** Replaces a JSON file in one step: a reader, also after a power cut, finds the old content or the new. */
export function writeJson(file: string, content: object): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = openSync(temporary, 'w');
    try {
      writeFileSync(handle, `${JSON.stringify(content, finiteOrText, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
