import type { JsonValue } from '@hookline/hook-api';
import type { RunRecordFile } from './run-record-file.js';

/** Where the options of a trainer come from. A symbol: it is not an option, and no part of the config that is recorded. */
export const RUN_ORIGIN: unique symbol = Symbol('hookline.origin');

export interface RunOrigin {
  /** The config file, as an absolute path. */
  readonly configFile: string;
  /** What replaced settings of that file. */
  readonly overrides: Readonly<Record<string, JsonValue>>;
  /** Is shown the record of a fit before its first step, and throws when it is not what was meant. */
  readonly accept?: ((record: RunRecordFile, folder: string | undefined) => void) | undefined;
}
