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
    // Without the loaders and variables of the process: it runs one text that needs none of them.
    execArgv: [],
    env: {},
  });
  await new Promise<unknown>((resolve, reject) => {
    // They stay: an error nobody listens to would end the process, and a team does without a worker that is gone.
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`it ended at once, with code ${code}`)));
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

/** As many as the machine lets this process use. */
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
    'The option `threads` works in Node only: a page may not wait for its workers. Leave it out in a browser.',
  );
}
