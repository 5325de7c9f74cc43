// In Node `#host` is node.ts.

/** The page lies in the storage of the browser, where no command reaches it. */
export function openingLine(_path: string): string {
  return '';
}
