import { safeName } from './safe-name.js';

/** Where the hook saves in the folder of a run, when it goes by its usual name. */
export const DEFAULT_FOLDER = 'checkpoints';

/** Several checkpoint hooks in one run have a folder each, named after them, so that none removes what another keeps. */
export function folderNameOf(hook: string): string {
  return hook === 'checkpoint' ? DEFAULT_FOLDER : `${DEFAULT_FOLDER}-${safeName(hook, '-')}`;
}
