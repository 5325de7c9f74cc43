import { getEnvironmentData, parentPort, setEnvironmentData, Worker } from 'node:worker_threads';
import { workerError } from '../errors.js';
import type { WorkerHost, WorkerPort, WorkerStart } from './contract.js';

/** Copied into every thread that is started while it is set: a thread of somebody else must not wait for our messages. */
const OURS = 'hookline.training';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const host: WorkerHost = {
  startWorker(start, listener) {
    const worker = newWorker(start);
    worker.on('message', listener.onMessage);
    worker.on('messageerror', (error) => listener.onDeath('a message of it could not be read', error));
    worker.on('error', (error) => listener.onDeath(error.message, error));
    worker.on('exit', (code) => listener.onDeath(`it ended with exit code ${code}`));
    return portOf(worker);
  },

  mainSide(onMessage) {
    const port = parentPort;
    if (port === null || getEnvironmentData(OURS) !== true) return undefined;
    // Threads that this one starts, such as those of a backend, are not ours.
    setEnvironmentData(OURS, undefined);
    port.on('message', onMessage);
    return { post: (message) => port.postMessage(message) };
  },

  // Node says when a thread has ended.
  holdLife: async () => {},
  watchLife: () => () => {},

  giveWay: () => new Promise((resolve) => setImmediate(resolve)),

  onSignal(stop) {
    const remove = () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    };
    const onSignal = (signal: NodeJS.Signals) => {
      // The second one ends the process at once, as if nobody had listened.
      remove();
      stop(signal);
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
    return remove;
  },

  reportExitCode: (code) => {
    if (code !== 0) process.exitCode ||= code;
  },

  writeError: (text) => void process.stderr.write(text),
};

function newWorker(start: WorkerStart): Worker {
  setEnvironmentData(OURS, true);
  try {
    const worker = typeof start === 'function' ? start() : new Worker(start);
    if (worker instanceof Worker) return worker;
    throw workerError(
      'WORKER_OPTIONS',
      'The function given to trainInWorker() did not return a Worker of node:worker_threads.',
    );
  } finally {
    setEnvironmentData(OURS, undefined);
  }
}

function portOf(worker: Worker): WorkerPort {
  return {
    post: (message) => worker.postMessage(message),
    terminate: () => void worker.terminate(),
  };
}
