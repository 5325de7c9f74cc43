import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file in one step: whoever reads it finds the old content or the new one, never half of it. */
export function replaceFile(file: string, content: string): void {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, content);
  renameSync(part, file);
}
