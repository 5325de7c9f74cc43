import { parentPort } from 'node:worker_threads';
import { free } from '../save/free.js';
import { memoryOf, type SaveJob } from '../save/save-job.js';
import { writeCheckpoint } from '../save/write-checkpoint.js';

/** The thread that writes checkpoints, one after the other, while the other one trains. */
parentPort?.on('message', async (job: SaveJob) => {
  const outcome = await writeCheckpoint(job);
  free(memoryOf(job));
  parentPort!.postMessage(outcome);
});
parentPort?.postMessage('ready');
