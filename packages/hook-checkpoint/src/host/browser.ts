// In Node `#host` is node.ts.
import type { SaveThread } from '../save/save-thread.js';

/** The storage of a browser does its work elsewhere already; a page that must not wait trains in a worker. */
export async function startThread(): Promise<SaveThread | undefined> {
  return undefined;
}
