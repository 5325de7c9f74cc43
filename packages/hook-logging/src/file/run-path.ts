import type { RunInfo } from '@hookline/hook-api';
import { join } from '@hookline/host';

/**
 * A path in the folder of the run; undefined when there is no folder, because the trainer was told to write nothing
 * or cannot.
 */
export function pathInRun({ dir }: RunInfo, name: string): string | undefined {
  return dir === undefined ? undefined : join(dir, name);
}

/**
 * What the file of a hook is called when the user does not say: `usual`, or the name of the instance where the same
 * log runs twice under different names.
 */
export function stemOf(hook: string, builtIn: string, usual: string): string {
  return hook === builtIn ? usual : hook.replace(/[^\w.-]+/g, '_');
}
