/**
 * What the threads share besides the memory of the backend: words to coordinate with, then one record for each part of
 * the running operation, as doubles: they hold an address, a count and a float32 exactly.
 */
export const WORDS = {
  /** How many parts there are and how many are taken: `parts << 8 | taken`. Whoever raises it owns that part. */
  ticket: 0,
  /** How many parts are finished. */
  finished: 1,
  /** Workers that wait for the ticket to change, and have to be woken. */
  sleepers: 2,
  /** 1 while the caller waits for `finished` and has to be woken. */
  callerSleeps: 3,
  /** 1 when a part has failed. */
  failed: 4,
  /** Pages of memory when the operation began; a worker may not have noticed yet that it has grown. */
  pages: 5,
  /** How many parts the workers have computed since they started. */
  byWorkers: 6,
} as const;

/** The ticket that tells workers to end. */
export const CLOSED = -1;

export const MOST_PARTS = 64;

const WORD_BYTES = 64;

/** A part: which export of the module, how many arguments, the arguments. */
export const PART_NUMBERS = 32;

/** Where the parts begin, counted in doubles. */
export const FIRST_PART: number = WORD_BYTES / 8;

export const BOARD_BYTES: number = WORD_BYTES + MOST_PARTS * PART_NUMBERS * 8;
