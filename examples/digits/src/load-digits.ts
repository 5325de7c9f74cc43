import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Digits, splitDigits } from './split-digits.js';

/** The images, split into three parts that are the same every time. */
export function loadDigits(): Digits {
  const file = new URL('../data/digits.csv.gz', import.meta.url);
  return splitDigits(gunzipSync(readFileSync(file)).toString('utf8'));
}
