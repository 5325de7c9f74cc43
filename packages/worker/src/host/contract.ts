/** A module that is started as a worker, or a function that starts it. */
export type WorkerStart = URL | string | (() => unknown);

/** The other side, as one side sees it. */
export interface Port {
  post(message: object): void;
}

/** A worker, as the main side sees it. */
export interface WorkerPort extends Port {
  terminate(): void;
}

export interface WorkerListener {
  onMessage(message: unknown): void;
  /** It ended, or an error in it was not caught. May be called several times. */
  onDeath(why: string, cause?: unknown): void;
}

/** What differs between a web worker and a worker thread. */
export interface WorkerHost {
  startWorker(start: WorkerStart, listener: WorkerListener): WorkerPort;
  /** The main side, in a worker that `startWorker` started; undefined elsewhere. */
  mainSide(onMessage: (message: unknown) => void): Port | undefined;
  /** In the worker: holds a lock of this name for as long as it lives. */
  holdLife(name: string): Promise<void>;
  /** On the main side: calls `onDeath` once nobody holds that lock. Returns how to stop waiting. */
  watchLife(name: string, onDeath: (why: string) => void): () => void;
  /** Lets everything else run that is waiting: drawing, input, timers. */
  giveWay(): Promise<void>;
  /** Calls `stop` when somebody wants the program to end. Returns how to stop listening. */
  onSignal(stop: (signal: string) => void): () => void;
  /** Has the program report that it failed, unless it says something else. */
  reportExitCode(code: number): void;
  writeError(text: string): void;
}
