import { BackendWasmError } from '../errors.js';
import { WORKER_SOURCE } from './worker-source.js';

/** The part of a worker of Node that is used here. */
export interface NodeWorker {
  unref(): void;
  terminate(): Promise<number>;
  on(event: 'message' | 'error' | 'exit', listener: (value: unknown) => void): void;
}

interface Builtins {
  worker_threads: { Worker: new (source: string, options: object) => NodeWorker };
  os: { availableParallelism(): number };
}

/** Starts a worker of a team and waits until it is ready; it does not keep the process alive. */
export async function startWorker(workerData: object): Promise<NodeWorker> {
  const { Worker } = builtin('worker_threads');
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    workerData,
    name: 'hookline-wasm',
    // Without the loaders and environment of the process, which the program of a worker does not need.
    execArgv: [],
    env: {},
  });
  await new Promise<unknown>((resolve, reject) => {
    // The listeners stay: an unhandled error would end the process, while a team can continue without a worker.
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`it ended immediately with code ${code}`)));
    worker.on('message', resolve);
  }).catch((cause: Error) => {
    throw new BackendWasmError(
      'NO_THREADS',
      `A worker thread could not start: ${cause.message}. Leave out the option \`threads\`, or ask for fewer.`,
      { cause },
    );
  });
  worker.unref();
  return worker;
}

/** How many threads can run at the same time. */
export function availableThreads(): number {
  return builtin('os').availableParallelism();
}

function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): Builtins[Name] | undefined };
  };
  const found = process?.getBuiltinModule?.(name);
  if (found) return found;
  throw new BackendWasmError(
    'NO_THREADS',
    'The option `threads` works in Node only: a browser page may not wait for its workers. Leave it out there.',
  );
}
