/** What the main thread asks of the thread that owns MPI. */
export type Request =
  | { readonly op: 'sum'; readonly values: Float32Array }
  | { readonly op: 'gather'; readonly bytes: Uint8Array }
  | { readonly op: 'broadcast'; readonly bytes: Uint8Array | undefined }
  /** Tells the other ranks; nothing is answered. */
  | { readonly op: 'abort'; readonly reason: string }
  /** The process ends with this exit code: together with the others, or with all of them at once. */
  | { readonly op: 'end'; readonly code: number; readonly aborts: boolean };

export type Answer =
  | { readonly all?: readonly Uint8Array[]; readonly bytes?: Uint8Array }
  | { readonly failure: Failure };

export interface Failure {
  readonly code: 'MPI_FAILED' | 'RANK_FAILED' | 'RANK_TIMEOUT';
  readonly message: string;
}

/** The first message of the thread. */
export type Hello =
  | { readonly rank: number; readonly world: number; readonly library: string }
  | { readonly missing: string };

export interface ThreadData {
  /** Of the bell. */
  readonly bell: Int32Array;
  /** How many seconds a rank may keep the others waiting. */
  readonly timeout: number;
  /** Names of libraries, or a path, in the order in which they are tried. */
  readonly libraries: readonly string[];
}

/**
 * The words that both threads share. The thread of MPI sleeps on the first, which costs nothing and wakes at once; while
 * it waits for other ranks it looks at the second, which says that there is a request that cannot wait. The third says
 * that MPI has ended.
 */
export const BELL = { rung: 0, urgent: 1, ended: 2, words: 3 } as const;
