// What writes checkpoints while training goes on, in Node: a thread. In a browser `#host` is browser.ts.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { memoryOf, type SaveJob } from '../save/save-job.js';
import type { SaveOutcome } from '../save/save-outcome.js';
import type { SaveThread } from '../save/save-thread.js';

/** Beside this file, in the sources as in what is published. */
const THREAD = new URL(`./save-thread${extname(import.meta.url)}`, import.meta.url);

/** Rejects when it cannot be started. It keeps the process alive only while it writes. */
export async function startThread(): Promise<SaveThread | undefined> {
  const thread = new Worker(THREAD);
  await answerOf(thread);
  thread.unref();
  return {
    write: async (job: SaveJob) => {
      thread.ref();
      try {
        thread.postMessage(job, memoryOf(job));
        return (await answerOf(thread)) as SaveOutcome;
      } finally {
        thread.unref();
      }
    },
    end: async () => {
      await thread.terminate();
    },
  };
}

async function answerOf(thread: Worker): Promise<unknown> {
  const answered = new AbortController();
  const { signal } = answered;
  const died = async () => {
    const [code] = await once(thread, 'exit', { signal });
    throw new Error(`it exited with code ${code}`);
  };
  try {
    const [answer] = (await Promise.race([once(thread, 'message', { signal }), died()])) as unknown[];
    return answer;
  } finally {
    answered.abort();
  }
}
