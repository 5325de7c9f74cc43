// What logs need of a browser. In Node `#host` is node.ts.

import type { Metrics } from '@hookline/hook-api';
import { rename } from '@hookline/host';
import type { Farewell } from '../mlflow/farewell.js';
import type { FilesNow, JsonLogger } from './contract.js';

export type { FilesNow, JsonLogger } from './contract.js';

/** A page that ends is not asked: what is handed over before is what is left. */
export const now: FilesNow = {
  append: refuse,
  makeFolder: refuse,
  read: refuse,
  rename,
  sizeOf: refuse,
  write: refuse,
};

/** What Chromium tells about its own memory; other browsers tell nothing. */
export function residentBytes(): number | undefined {
  const { memory } = performance as { memory?: { usedJSHeapSize?: number } };
  return memory?.usedJSHeapSize;
}

/** There is no program that could be asked. */
export class GpuWatch {
  latest(): Metrics {
    return {};
  }
}

export function sendNow(
  _base: string,
  _headers: Readonly<Record<string, string>>,
  _farewell: Farewell,
): void {}

// biome-ignore lint/suspicious/noExplicitAny: what somebody else's package exports
type ImportedPackage = Record<string, any>;

/** A page cannot look for what is installed. */
export async function importPackage(
  name: string,
  missing: (cause: unknown) => Error,
): Promise<ImportedPackage> {
  throw missing(new Error(`${name} cannot be looked for in a browser`));
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The lines that pino makes in Node. */
export function createLogger(file: { write(line: string): void }, run: string, level: string): JsonLogger {
  const at = (own: string) => (fields: object) => {
    if (LEVELS.indexOf(own) < LEVELS.indexOf(level)) return;
    file.write(
      `${JSON.stringify({ level: own, time: new Date().toISOString(), run, ...fields }, withErrors)}\n`,
    );
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function withErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { ...value, type: value.name, message: value.message, stack: value.stack };
}

function refuse(): never {
  throw new Error('A browser cannot read or write its storage synchronously.');
}
