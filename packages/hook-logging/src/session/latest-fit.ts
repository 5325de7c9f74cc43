import type { HookContext } from '@hookline/hook-api';

/** Where the latest fit of a hook ended: a test or a validation after it starts counting from 0, but belongs to it. */
export class LatestFit {
  #run: string | undefined;
  #position = { epoch: 0, step: 0 };

  /** Where a record belongs that is written now. */
  position({ run, state }: HookContext): { epoch: number; step: number } {
    const { stage, epoch, step } = state;
    if (stage !== 'fit') return run.id === this.#run ? this.#position : { epoch, step };
    this.#run = run.id;
    this.#position = { epoch, step };
    return this.#position;
  }
}
