import {
  EVENTS,
  type EventName,
  type Hook,
  type HookContext,
  type HookManager,
  type PhaseMark,
  type RunPhase,
} from '@hookline/hook-api';
import { PhaseClock } from './phase-clock.js';

/** Where the time of a run goes, for hooks that ask for it. While none does, nothing is measured and no call is wrapped. */
export class Phases {
  #clock: PhaseClock | undefined;
  /** The hooks' revision for which it was looked who asks. */
  #revision = -1;
  /** What the manager calls before each method of a hook; undefined while nobody asks. */
  enter: HookContext['enter'];

  constructor(
    private readonly hooks: HookManager,
    private readonly startedAt: number,
  ) {}

  /** Hooks may have come or gone: there is a clock from now on if one of them asks for phases. */
  update(): void {
    const { hooks } = this;
    if (this.#revision === hooks.revision) return;
    const isFirst = this.#revision < 0;
    this.#revision = hooks.revision;
    const asking = hooks.listeners(...(Object.keys(EVENTS) as EventName[])).filter(asksForPhases);
    if (asking.length === 0) this.#clock = this.enter = undefined;
    else this.#open(isFirst).keepFor(asking.map(({ name }) => name));
  }

  begin(phase: RunPhase): void {
    this.#clock?.begin(phase);
  }

  /** Counts what `work` takes as this phase. */
  during<Result>(phase: RunPhase, work: () => Result): Result {
    return this.#clock === undefined ? work() : this.#clock.during(phase, work);
  }

  take(hook: string): readonly PhaseMark[] {
    return this.#clock?.take(hook) ?? [];
  }

  #open(isFirst: boolean): PhaseClock {
    if (this.#clock) return this.#clock;
    const clock = isFirst
      ? new PhaseClock('setup', this.startedAt)
      : new PhaseClock('other', performance.now());
    this.#clock = clock;
    this.enter = function (this: HookContext, event) {
      return clock.enter(this.hook, event);
    };
    return clock;
  }
}

function asksForPhases({ needs }: Hook): boolean {
  return needs?.includes('phases') ?? false;
}
