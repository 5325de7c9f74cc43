// What logs need of Node. In a browser `#host` is browser.ts.
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolderNow } from '@hookline/host/node';
import { pino } from 'pino';
import type { FilesNow, JsonLogger } from './contract.js';

export type { FilesNow, JsonLogger } from './contract.js';
export { GpuWatch } from './gpu-watch.js';
export { sendNow } from './send-now.js';

export const now: FilesNow = {
  append: appendFileSync,
  makeFolder: makeFolderNow,
  read: (path) => readFileSync(path, 'utf8'),
  rename: renameSync,
  sizeOf: (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
  write: writeFileSync,
};

/** The memory of the process; undefined where that is not known. */
export function residentBytes(): number | undefined {
  return process.memoryUsage.rss();
}

/** A package that the project has installed. */
export function importPackage(name: string, missing: (cause: unknown) => Error): Promise<ImportedPackage> {
  let file: string;
  try {
    file = createRequire(join(process.cwd(), 'package.json')).resolve(name);
  } catch (error) {
    throw missing(error);
  }
  return import(pathToFileURL(file).href);
}

// biome-ignore lint/suspicious/noExplicitAny: what somebody else's package exports
type ImportedPackage = Record<string, any>;

export function createLogger(file: { write(line: string): void }, run: string, level: string): JsonLogger {
  return pino(
    {
      level,
      base: { run },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    file,
  );
}
