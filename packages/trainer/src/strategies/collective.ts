/**
 * How the processes of one run talk: everything that training in several processes needs of MPI, of sockets or of
 * whatever else connects them. A rank is the number of a process; rank 0 is the main rank.
 *
 * Every rank makes the same calls in the same order, each with values of the same length. A call settles within a time
 * that the implementation bounds: when a rank is gone or does not answer, it rejects with an error that names the rank.
 * A call may be made before the one before it has settled: they are done in the order in which they were made, and after
 * one that rejects all others do.
 */
export interface Collective {
  /** From 0. */
  readonly rank: number;
  /** How many ranks there are. */
  readonly world: number;
  /**
   * Replaces the values by their sums over all ranks, with the same bits on all of them. A sum and not a mean: ranks have
   * different numbers of samples, so what is added up is weighted before.
   */
  sum(values: Float32Array): Promise<void>;
  /** What each rank gave, by rank; short texts. */
  gather(text: string): Promise<string[]>;
  /** What the main rank gave; the others give nothing. */
  broadcast(bytes: Uint8Array | undefined): Promise<Uint8Array>;
  /** Values for `sum`, in memory that it need not copy; ordinary memory when absent. */
  allocate?(length: number): Float32Array;
  /**
   * This rank cannot go on. What the others wait for rejects with an error that names this rank and gives the reason. Does
   * nothing when a rank has failed before.
   */
  abort(reason: string): void;
}
