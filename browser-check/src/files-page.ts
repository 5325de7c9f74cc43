// The page of the check of files: it runs the cases that packages/host runs against Node and against a database in memory.
import * as host from '@hookline/host';
import { fileCases } from '../../packages/host/test/support/file-cases.js';
import { folderCases } from '../../packages/host/test/support/folder-cases.js';
import { oddCases } from '../../packages/host/test/support/odd-cases.js';

/** Runs every case in a folder of its own; returns what went wrong. */
async function runCases(): Promise<{ cases: number; failed: string[] }> {
  const failed: string[] = [];
  const cases = Object.entries({ ...fileCases, ...folderCases, ...oddCases });
  for (const [name, run] of cases) {
    try {
      await host.mkdir(`/${name}`);
      await run(host, `/${name}`);
      await host.rm(`/${name}`, { recursive: true });
    } catch (error) {
      failed.push(`${name}: ${(error as Error).stack}`);
    }
  }
  return { cases: cases.length, failed };
}

/** How many contents are in the origin private file system. */
async function contentsInOpfs(): Promise<number> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle('hookline');
  let count = 0;
  for await (const name of folder.keys()) if (name !== '.probe') count++;
  return count;
}

/** What storing says in a frame that may not store anything: its origin is nobody's. */
function inSandbox(): Promise<unknown> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = '/?sandboxed';
  const answer = new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data), { once: true });
  });
  document.body.append(frame);
  return answer;
}

if (location.search === '?sandboxed') {
  host.mkdir('/runs').then(
    () => parent.postMessage({ code: 'it worked' }, '*'),
    ({ code, message }) => parent.postMessage({ code, message }, '*'),
  );
}

Object.assign(globalThis, { files: { host, runCases, contentsInOpfs, inSandbox } });
