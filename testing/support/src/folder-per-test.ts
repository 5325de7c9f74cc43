import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export interface TestFolder {
  readonly path: string;
  /** A path in it. */
  in(...names: string[]): string;
}

/** Called once in a test file: a folder that is new and empty for each test, and removed after it. */
export function folderPerTest(): TestFolder {
  let path = '';
  beforeEach(() => {
    path = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-')));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));
  return {
    get path() {
      return path;
    },
    in: (...names) => join(path, ...names),
  };
}
