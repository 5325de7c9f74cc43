import { resolve } from 'node:path';

/** Where the page is, and how to open it. Whole paths: a script may run in another folder than its user is in. */
export function openingLines(file: string): string {
  const path = resolve(file);
  return `Report  ${path}\nOpen    ${opener()} ${/\s/.test(path) ? `"${path}"` : path}\n`;
}

function opener(): string {
  if (process.platform === 'darwin') return 'open';
  return process.platform === 'win32' ? 'start ""' : 'xdg-open';
}
