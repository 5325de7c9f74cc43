import { MessageChannel, parentPort } from 'node:worker_threads';
import { memoryOf, type SaveJob } from '../save/save-job.js';
import { writeCheckpoint } from '../save/write-checkpoint.js';

/** The thread that writes checkpoints, one after the other, while the other one trains. */
parentPort?.on('message', async (job: SaveJob) => {
  const outcome = await writeCheckpoint(job);
  free(memoryOf(job));
  parentPort!.postMessage(outcome);
});
parentPort?.postMessage('ready');

/**
 * Gives memory back at once. A thread that waits for its next job collects no garbage, so that the next snapshot would
 * have to fit beside this one. What is sent to a port that is closed is gone.
 */
function free(buffers: ArrayBuffer[]): void {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(undefined, buffers);
  port1.close();
  port2.close();
}
