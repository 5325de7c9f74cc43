// In Node `#host` is node.ts.

/** A page cannot tell whether its developer tools are open; where they are closed, `debugger` does nothing. */
export function canBreak(): boolean {
  return true;
}

/** What to do to be paused. */
export const HOW_TO_BREAK: string = 'open the developer tools';
