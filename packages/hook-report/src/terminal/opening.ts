import { resolve } from '@hookline/host';
import { openingLine } from '#host';

/** Where the page is, and how to open it. Whole paths: a script may run in another folder than its user is in. */
export function openingLines(file: string): string {
  const path = resolve(file);
  return `Report  ${path}\n${openingLine(path)}`;
}
