import type { Subject } from './subject.js';

/** One thing that a hook must do. */
export interface Check {
  /** For programs: `leaks`. */
  readonly name: string;
  /** For people: what is promised, as the title of a test. */
  readonly promise: string;
  /** What must be in order before this can be checked. */
  readonly needs?: readonly string[];
  /** Whether there is something to check. */
  applies?(subject: Subject): boolean;
  /** What is wrong and how to fix it; empty when all is well. */
  run(subject: Subject): Promise<string[]>;
}
