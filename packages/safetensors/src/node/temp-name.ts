import { basename, dirname, join, type ProcessMark, randomHex, thisProcess } from '@hookline/host';
import { SafetensorsError } from '../errors.js';
import { failed } from './file-system.js';
import { MARK_PATTERN, markText, parseMark } from './process-mark.js';

const PATTERN = new RegExp(`^\\.tmp-.+-${MARK_PATTERN}-[0-9a-f]{12}$`);

/** Beside the path, so that a rename moves it there at once; its name says whose it is. */
export function tempPathFor(path: string): string {
  const name = basename(path);
  // File systems allow 255 bytes.
  if (new TextEncoder().encode(name).length > 180) {
    throw new SafetensorsError('BAD_FILE_NAME', `"${name}" is too long. Expected at most 180 bytes.`);
  }
  try {
    return join(dirname(path), `.tmp-${name}-${markText(thisProcess())}-${randomHex(6)}`);
  } catch (error) {
    throw failed(`Could not prepare "${path}"`, error);
  }
}

/** Whose it is; undefined for a name that is none of ours. */
export function ownerOfTemp(name: string): ProcessMark | undefined {
  const match = PATTERN.exec(name);
  return match ? parseMark(match.slice(1)) : undefined;
}
