import { workerError } from '../errors.js';
import type { WorkerHost, WorkerStart } from './contract.js';

/** The part of a worker's global scope that is used here. */
interface WorkerScope {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
}

export const host: WorkerHost = {
  startWorker(start, listener) {
    const worker = newWorker(start);
    worker.addEventListener('message', ({ data }) => listener.onMessage(data));
    worker.addEventListener('messageerror', () => listener.onDeath('a message of it could not be read'));
    worker.addEventListener('error', (event) => {
      const { message, filename, lineno } = event;
      // A module that cannot be loaded has no message.
      const why = message
        ? `${message} (${filename}:${lineno})`
        : 'its module, or one that it imports, could not be loaded';
      listener.onDeath(why, event.error ?? undefined);
    });
    return {
      post: (message) => worker.postMessage(message),
      terminate: () => worker.terminate(),
    };
  },

  mainSide(onMessage) {
    const scope = globalThis as unknown as WorkerScope & { document?: unknown };
    // A page has these functions as well, and a document.
    if (scope.document !== undefined || typeof scope.postMessage !== 'function') return undefined;
    scope.addEventListener('message', ({ data }) => onMessage(data));
    return { post: (message) => scope.postMessage(message) };
  },

  // A worker that is terminated, or that runs out of memory, says nothing. Its locks are released all the same.
  holdLife: (name) =>
    new Promise((resolve) => {
      if (!locks()) return resolve();
      void locks()?.request(name, () => {
        resolve();
        return new Promise(() => {});
      });
    }),

  watchLife(name, onDeath) {
    const stop = new AbortController();
    locks()
      ?.request(name, { signal: stop.signal }, () => onDeath('it was terminated, closed itself, or crashed'))
      .catch(() => {}); // stopped waiting
    return () => stop.abort();
  },

  // Not a microtask: the page draws between tasks.
  giveWay: () => new Promise((resolve) => setTimeout(resolve)),

  // Whoever closes a tab does not wait for it.
  onSignal: () => () => {},
  reportExitCode: () => {},
  writeError: (text) => console.error(text.trimEnd()),
};

/** Missing where a page was not loaded by https or from localhost. */
function locks(): LockManager | undefined {
  return (navigator as { locks?: LockManager }).locks;
}

function newWorker(start: WorkerStart): Worker {
  const worker = typeof start === 'function' ? start() : new Worker(start, { type: 'module' });
  if (worker instanceof Worker) return worker;
  throw workerError(
    'WORKER_OPTIONS',
    "The function given to trainInWorker() did not return a Worker. Expected () => new Worker(new URL('./training.js', import.meta.url), { type: 'module' }).",
  );
}
