// Whether there is a debugger, in Node. In a browser `#host` is browser.ts.
import { url } from 'node:inspector';

/** Whether this process was started for a debugger, such as with `node --inspect`. */
export function canBreak(): boolean {
  return url() !== undefined;
}

/** What to do to be paused. */
export const HOW_TO_BREAK: string = 'start node with --inspect';
