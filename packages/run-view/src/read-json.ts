import { readFile, stat } from '@hookline/host';

/** A record has some kilobytes, or megabytes where a configuration lists data. */
const LARGEST_JSON = 2 ** 26;

/** Undefined for a file that is missing, too large or not JSON. */
export async function readJson(file: string): Promise<unknown> {
  try {
    if ((await stat(file)).size > LARGEST_JSON) return undefined;
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
