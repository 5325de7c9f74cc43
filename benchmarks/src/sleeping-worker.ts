import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A thread that answers each call after a while, as a disk or a decoder would, and leaves the processor alone. */
export class SleepingWorker {
  readonly #worker: Worker;

  constructor(milliseconds: number) {
    this.#worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      const cell = new Int32Array(new SharedArrayBuffer(4));
      parentPort.on('message', () => {
        Atomics.wait(cell, 0, 0, workerData);
        parentPort.postMessage(null);
      });`,
      { eval: true, workerData: milliseconds },
    );
  }

  async sleep(): Promise<void> {
    this.#worker.postMessage(null);
    await once(this.#worker, 'message');
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
