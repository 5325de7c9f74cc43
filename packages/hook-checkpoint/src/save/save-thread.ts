import { parentPort } from 'node:worker_threads';
import type { SaveJob } from './save-job.js';
import { writeCheckpoint } from './write-checkpoint.js';

/** The thread that writes checkpoints, one after the other, while the other one trains. */
parentPort?.on('message', async (job: SaveJob) => {
  parentPort!.postMessage(await writeCheckpoint(job));
});
parentPort?.postMessage('ready');
