// How people open a page in Node: with the program of their system. In a browser `#host` is browser.ts.

/** The command that opens a file, as a line; empty where there is none. */
export function openingLine(path: string): string {
  return `Open    ${opener()} ${/\s/.test(path) ? `"${path}"` : path}\n`;
}

function opener(): string {
  if (process.platform === 'darwin') return 'open';
  return process.platform === 'win32' ? 'start ""' : 'xdg-open';
}
