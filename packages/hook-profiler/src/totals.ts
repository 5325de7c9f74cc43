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

  add({ phase, start, end, hook, event }: PhaseMark): void {
    const took = end - start;
    this.milliseconds += took;
    this.phases.set(phase, (this.phases.get(phase) ?? 0) + took);
    if (hook !== undefined) this.#addHook(hook, event ?? '', took);
  }

  #addHook(name: string, event: string, took: number): void {
    const total = this.hooks.get(name) ?? { milliseconds: 0, events: new Map<string, number>() };
    total.milliseconds += took;
    total.events.set(event, (total.events.get(event) ?? 0) + took);
    this.hooks.set(name, total);
  }
}
