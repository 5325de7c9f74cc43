import type { PhaseMark, StepPhase } from '@hookline/hook-api';

/** Marks when each phase of a step began and ended. There is one only while a hook asks for phases. */
export class PhaseClock {
  #marks: PhaseMark[] = [];
  #phase: StepPhase | undefined;
  #start = 0;

  /** Ends the current phase and begins another, or none. */
  begin(phase: StepPhase | undefined): void {
    const now = performance.now();
    if (this.#phase !== undefined)
      this.#marks.push(Object.freeze({ phase: this.#phase, start: this.#start, end: now }));
    this.#phase = phase;
    this.#start = now;
  }

  /** Counts what hooks take as `hooks`; returns how to go back to the phase that they interrupted. */
  interrupt(): () => void {
    const interrupted = this.#phase;
    this.begin('hooks');
    return () => this.begin(interrupted);
  }

  /** The marks so far; the current phase continues. */
  get marks(): readonly PhaseMark[] {
    return [...this.#marks];
  }

  clear(): void {
    this.#marks = [];
  }
}
