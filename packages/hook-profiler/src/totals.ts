import type { PhaseMark, RunPhase } from '@hookline/hook-api';

export interface HookTotal {
  milliseconds: number;
  /** By event. */
  readonly events: Map<string, number>;
}

/** Adds up marks: by phase, and by hook. */
export class Totals {
  readonly phases: Map<RunPhase, number> = new Map();
  readonly hooks: Map<string, HookTotal> = new Map();
  milliseconds = 0;
  /** Where the last mark ends. */
  #end = 0;

  add({ phase, start, end, hook, event }: PhaseMark): void {
    const took = end - start;
    this.#end = end;
    this.milliseconds += took;
    this.phases.set(phase, (this.phases.get(phase) ?? 0) + took);
    if (hook !== undefined) this.#addHook(hook, event ?? '', took);
  }

  /** What is under way after the last mark is this profile itself. */
  extendTo(now: number): void {
    const [phase, hook, event] = ['hooks', 'profiler', 'teardown'] as const;
    if (this.#end > 0) this.add({ phase, start: this.#end, end: now, hook, event });
  }

  #addHook(name: string, event: string, took: number): void {
    const total = this.hooks.get(name) ?? { milliseconds: 0, events: new Map<string, number>() };
    total.milliseconds += took;
    total.events.set(event, (total.events.get(event) ?? 0) + took);
    this.hooks.set(name, total);
  }
}
