import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunInfo } from '@hookline/hook-api';

/**
 * A path in the folder of the run. A trainer that was told to write nothing, or cannot, has none: then there is no
 * log either.
 */
export function pathInRun({ dir }: RunInfo, name: string): string | undefined {
  return existsSync(dir) ? join(dir, name) : undefined;
}
