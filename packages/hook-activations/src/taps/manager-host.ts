/** What the surroundings of a manager decide: nothing when it is used alone, the hook of the trainer otherwise. */
export interface ManagerHost {
  /** Whether hooks of this kind act at the moment. */
  isOpen(kind: 'observe' | 'intervene'): boolean;
  /** Optimizer steps completed. */
  step(): number | undefined;
  /** Runs what a user gave. */
  run<Result>(work: () => Result): Result;
  /** An observer failed: throws, or keeps the error for later. */
  onFailure(error: unknown): void;
}

export const ALONE: ManagerHost = {
  isOpen: () => true,
  step: () => undefined,
  run: (work) => work(),
  onFailure: (error) => {
    throw error;
  },
};
