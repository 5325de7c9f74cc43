import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { loadMpi } from './library.js';
import { Ranks, RanksFailed } from './ranks.js';
import { type Answer, BELL, type Failure, type Hello, type Request, type ThreadData } from './requests.js';

// The thread that owns MPI: it initialises it, makes every call and finalises it. The main thread stays free to train, to
// take signals and to notice that a rank does not answer.

const { bell, timeout, libraries } = workerData as ThreadData;
const port = parentPort!;
const mpi = loadMpi(libraries);

if ('reasons' in mpi) say({ missing: mpi.reasons.join('\n  ') });
else {
  const ranks = new Ranks(mpi, timeout, bell, () => serveAll());
  say({ rank: ranks.rank, world: ranks.world, library: mpi.version });

  const serveAll = (): void => {
    Atomics.store(bell, BELL.urgent, 0);
    for (let next = take(); next; next = take()) serve(next);
  };
  const serve = (request: Request): void => {
    if (request.op === 'abort') ranks.abort(request.reason);
    else if (request.op === 'end') end(request.code, request.aborts);
    else port.postMessage(answerTo(request));
  };
  const end = (code: number, aborts: boolean): void => {
    isOver = true;
    try {
      ranks.end(code, aborts);
    } finally {
      Atomics.store(bell, BELL.ended, 1);
      Atomics.notify(bell, BELL.ended);
    }
  };
  const answerTo = (request: Exclude<Request, { op: 'abort' | 'end' }>): Answer => {
    try {
      if (request.op === 'gather') return { all: ranks.gather(request.bytes) };
      if (request.op === 'broadcast') return { bytes: ranks.broadcast(request.bytes) };
      ranks.sum(request.values);
      return {};
    } catch (error) {
      return { failure: failureOf(error) };
    }
  };

  let isOver = false;
  while (!isOver) {
    const rung = Atomics.load(bell, BELL.rung);
    serveAll();
    if (!isOver) Atomics.wait(bell, BELL.rung, rung);
  }
}

function take(): Request | undefined {
  return receiveMessageOnPort(port)?.message as Request | undefined;
}

function say(hello: Hello): void {
  port.postMessage(hello);
}

function failureOf(error: unknown): Failure {
  if (error instanceof RanksFailed) return error.failure;
  return { code: 'MPI_FAILED', message: (error as Error).message };
}
