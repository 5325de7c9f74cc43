import { EVENTS, type EventName, type PhaseMark, type RunPhase } from '@hookline/hook-api';

/** So many marks are kept for a hook that asks too rarely; then it loses the older half. */
const MOST_MARKS = 100_000;

/** The phase that the run is in. It is the same object again after an interruption. */
interface Current {
  readonly phase: RunPhase;
  readonly hook?: string;
  readonly event?: string;
  start: number;
}

/**
 * Marks from when to when a run is in each phase: it is always in one, so that the marks add up to the time that has
 * passed. There is a clock only while a hook asks for phases.
 */
export class PhaseClock {
  #current: Current;
  /** By the hook that asks: the marks that it has not taken yet. */
  #marks = new Map<string, PhaseMark[]>();

  constructor(phase: RunPhase, start: number) {
    this.#current = { phase, start };
  }

  /** Marks are kept for these hooks from now on. */
  keepFor(hooks: readonly string[]): void {
    this.#marks = new Map(hooks.map((hook) => [hook, this.#marks.get(hook) ?? []]));
  }

  /** The marks since this hook last took them; the current phase continues. */
  take(hook: string): readonly PhaseMark[] {
    const marks = this.#marks.get(hook);
    if (marks) this.#marks.set(hook, []);
    return marks ?? [];
  }

  begin(phase: RunPhase): void {
    const { phase: before, hook } = this.#current;
    if (phase !== before || hook !== undefined) this.#turnTo({ phase, start: 0 });
  }

  /** Counts `work` as this phase, then goes back to the one that it interrupted, whatever becomes of it. */
  during<Result>(phase: RunPhase, work: () => Result): Result {
    const goBack = this.#interrupt({ phase, start: 0 });
    let isPending = false;
    try {
      const result = work();
      isPending = result instanceof Promise;
      return isPending ? ((result as Promise<unknown>).finally(goBack) as Result) : result;
    } finally {
      if (!isPending) goBack();
    }
  }

  /** A method of a hook begins; returns what to call once it has settled. */
  enter(hook: string, event: string): () => void {
    const isTransform = EVENTS[event as EventName].kind === 'transform';
    return this.#interrupt({ phase: isTransform ? 'transform' : 'hooks', hook, event, start: 0 });
  }

  #interrupt(next: Current): () => void {
    const interrupted = this.#current;
    this.#turnTo(next);
    return () => {
      // Otherwise the run has moved on meanwhile: what a hook does in the background may end at any time.
      if (this.#current === next) this.#turnTo(interrupted);
    };
  }

  #turnTo(next: Current): void {
    const { phase, hook, event, start } = this.#current;
    const end = performance.now();
    // Written out: a spread takes several times as long, and there are dozens of marks in a step.
    if (end > start) this.#keep(Object.freeze({ phase, start, end, hook, event }));
    next.start = end;
    this.#current = next;
  }

  #keep(mark: PhaseMark): void {
    for (const marks of this.#marks.values()) {
      if (marks.push(mark) >= MOST_MARKS) marks.splice(0, MOST_MARKS / 2);
    }
  }
}
