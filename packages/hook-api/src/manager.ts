import type { HookContext, Stage } from './context.js';
import { HooklineError, isFatal } from './errors.js';
import {
  EVENTS,
  type EventName,
  type EventOfKind,
  type HookEvents,
  type SyncEvent,
  type TransformResults,
} from './events.js';
import { filterOf } from './filters.js';
import type { Hook } from './hook.js';
import { assertHook, eventsOf, type HookKind, kindsOf } from './inspect-hook.js';
import { type Accept, dispatch, isDue, type Line, type Slot, transform } from './line.js';
import { didYouMean } from './nearest.js';
import { orderHooks } from './order.js';
import { loadHook, type SavedHook, saveHook } from './saved-hook.js';

export type HookSource = 'code' | 'plugin';

export interface HookInfo {
  name: string;
  source: HookSource;
  enabled: boolean;
  kinds: HookKind[];
}

export interface HookCost {
  name: string;
  calls: number;
  /** Estimated from a sample of the calls. */
  milliseconds: number;
}

interface Entry {
  readonly name: string;
  readonly source: HookSource;
  readonly hook: Hook;
  readonly slots: ReadonlyMap<EventName, Slot>;
  enabled: boolean;
  /** Setup has finished in this run: it is called, and it will be torn down. */
  ready: boolean;
}

/** A failing `on*` method is given this many chances in a row before its hook is disabled. */
const MAX_FAILURES = 3;

/** Holds the hooks of a trainer and calls them: in order, only when due, each shielded from the others' failures. */
export class HookManager {
  #entries: Entry[] = [];
  #lines: Partial<Record<EventName, Line>> = {};
  #run: { stage: Stage; contextFor: (hook: Hook) => HookContext } | undefined;
  /** Hooks added, enabled or removed during the run, whose setup or teardown is due before the next event. */
  #changed = new Set<Entry>();

  /** Registers a hook and returns its remover. */
  add(
    hook: Hook,
    { source = 'code', enabled = true }: { source?: HookSource; enabled?: boolean } = {},
  ): () => void {
    assertHook(hook);
    const { name } = hook;
    if (this.#find(name)) {
      throw new HooklineError(
        'DUPLICATE_HOOK',
        `There is already a hook named "${name}". Names are the keys of saved state, so each must be its own: ` +
          'rename one of the two, or remove the first.',
      );
    }
    const entry: Entry = { name, source, hook, slots: slotsOf(hook), enabled, ready: false };
    if (this.#run) this.#bind(entry);
    this.#entries = orderHooks([...this.#entries, entry]);
    this.#change(entry);
    return () => {
      if (this.#entries.includes(entry)) this.remove(name);
    };
  }

  remove(name: string): void {
    const entry = this.#require(name);
    this.#entries = this.#entries.filter((each) => each !== entry);
    this.#change(entry);
  }

  enable(name: string): void {
    const entry = this.#require(name);
    entry.enabled = true;
    for (const slot of entry.slots.values()) slot.failures = 0;
    this.#change(entry);
  }

  /** The hook stays registered and keeps its state, but is not called. */
  disable(name: string): void {
    const entry = this.#require(name);
    entry.enabled = false;
    this.#change(entry);
  }

  get(name: string): Hook | undefined {
    return this.#find(name)?.hook;
  }

  /** All hooks in the order in which they are called. */
  list(): HookInfo[] {
    return this.#entries.map(({ name, source, enabled, hook }) => ({
      name,
      source,
      enabled,
      kinds: kindsOf(hook),
    }));
  }

  costs(): HookCost[] {
    return this.#entries.map(({ name, slots }) => ({
      name,
      calls: sum(slots, (slot) => slot.calls),
      milliseconds: sum(slots, (slot) => slot.milliseconds),
    }));
  }

  /** Whether anybody would be called now: build no payload and read nothing from the device when nobody would. */
  due(event: EventName): boolean {
    const line = this.#lines[event];
    return line !== undefined && isDue(line);
  }

  /** Calls every due hook's method. Returns a promise only when one of them does. */
  call<Name extends EventOfKind<'observe'>>(event: Name, payload: HookEvents[Name]): void | Promise<void> {
    const line = this.#lines[event];
    if (line === undefined) return;
    if (this.#changed.size > 0 && !line.sync) {
      return this.#settleChanges().then(() => this.call(event, payload));
    }
    return dispatch(line, payload, this.#onFailure);
  }

  /**
   * Lets each due hook replace what it is given. `accept` joins a hook's result with the payload for the next
   * one: the caller knows who owns which tensor. Any failure ends the run: training without the transform would
   * be a lie.
   */
  transform<Name extends EventOfKind<'transform'>>(
    event: Name,
    payload: HookEvents[Name],
    accept: (payload: HookEvents[Name], result: TransformResults[Name]) => HookEvents[Name],
  ): Name extends SyncEvent ? HookEvents[Name] : HookEvents[Name] | Promise<HookEvents[Name]>;
  transform(event: EventOfKind<'transform'>, payload: unknown, accept: Accept): unknown {
    const line = this.#lines[event];
    if (line === undefined) return payload;
    if (this.#changed.size > 0 && !line.sync) {
      return this.#settleChanges().then(() => this.transform(event, payload as never, accept as never));
    }
    return transform(line, payload, accept, this.#onFailure);
  }

  /** Begins a run: gives every hook its context and sets the enabled ones up, in order. */
  async setup(stage: Stage, contextFor: (hook: Hook) => HookContext): Promise<void> {
    this.#run = { stage, contextFor };
    for (const entry of this.#entries) {
      this.#bind(entry);
      this.#changed.add(entry);
    }
    await this.#settleChanges();
  }

  /** Ends a run: tears down, in reverse order, every hook that was set up. Returns all errors. */
  async teardown(): Promise<HookFailure[]> {
    const failures: HookFailure[] = [];
    const removed = [...this.#changed].filter((entry) => !this.#entries.includes(entry));
    for (const entry of [...removed, ...this.#entries.toReversed()]) {
      if (entry.ready) await this.#tearDown(entry, failures);
    }
    this.#changed.clear();
    this.#run = undefined;
    this.#compile();
    return failures;
  }

  /** What a checkpoint holds of the hooks: their own states, and where their filters stand. */
  saveState(): Record<string, SavedHook> {
    return Object.fromEntries(this.#entries.map(({ name, hook, slots }) => [name, saveHook(hook, slots)]));
  }

  /** Hands saved states back; returns the names that no hook here answers to. */
  loadState(saved: Readonly<Record<string, SavedHook>>): string[] {
    for (const { name, hook, slots } of this.#entries) {
      if (Object.hasOwn(saved, name)) loadHook(hook, slots, saved[name]!);
      else for (const { filter, ctx } of slots.values()) filter?.reset(ctx);
    }
    return Object.keys(saved).filter((name) => !this.#find(name));
  }

  #find(name: string): Entry | undefined {
    return this.#entries.find((entry) => entry.name === name);
  }

  #require(name: string): Entry {
    const entry = this.#find(name);
    if (entry) return entry;
    const names = this.#entries.map((each) => each.name);
    throw new HooklineError(
      'UNKNOWN_HOOK',
      `There is no hook named "${name}".${didYouMean(name, names)} Hooks here: ${names.join(', ') || 'none'}.`,
    );
  }

  #change(entry: Entry): void {
    if (this.#run) this.#changed.add(entry);
    this.#compile();
  }

  /** Sets up what was added or enabled, tears down what was removed. */
  async #settleChanges(): Promise<void> {
    for (const entry of this.#changed) {
      this.#changed.delete(entry);
      if (!this.#entries.includes(entry)) {
        if (entry.ready) await this.#tearDown(entry, []);
      } else if (entry.enabled && !entry.ready) {
        await this.#setUp(entry);
      }
    }
    this.#compile();
  }

  async #setUp(entry: Entry): Promise<void> {
    await this.#lifecycle(entry, 'setup', this.#run!.stage);
    entry.ready = true;
  }

  /** Gives a hook its context for this run; what its filters and failures remember of an earlier run is gone. */
  #bind({ hook, slots }: Entry): void {
    const ctx = this.#run!.contextFor(hook);
    for (const slot of slots.values()) {
      slot.ctx = ctx;
      slot.failures = 0;
      slot.filter?.reset(ctx);
    }
  }

  async #tearDown(entry: Entry, failures: HookFailure[]): Promise<void> {
    entry.ready = false;
    try {
      await this.#lifecycle(entry, 'teardown', this.#run!.stage);
    } catch (error) {
      failures.push({ hook: entry.name, error, fatal: endsRun(entry.hook, 'teardown', error) });
    }
  }

  async #lifecycle(entry: Entry, event: 'setup' | 'teardown', stage: Stage): Promise<void> {
    const slot = entry.slots.get(event);
    if (!slot) return;
    const start = performance.now();
    slot.calls++;
    try {
      await slot.handler.call(slot.hook, slot.ctx, { stage });
    } catch (error) {
      report(slot, event, error);
      throw error;
    } finally {
      slot.milliseconds += performance.now() - start;
    }
  }

  /** Lists are made anew when hooks change, never while they run: a dispatch finishes on the list it began with. */
  #compile(): void {
    const ready = this.#entries.filter((entry) => entry.enabled && entry.ready);
    const lines: Partial<Record<EventName, Line>> = {};
    for (const event of Object.keys(EVENTS) as EventName[]) {
      const slots = ready.flatMap((entry) => entry.slots.get(event) ?? []);
      const { sync } = EVENTS[event];
      // While a setup is owed, every event that can wait counts as wanted: calling it settles the debt.
      const owed = this.#changed.size > 0 && !sync;
      if (slots.length === 0 && !owed) continue;
      const always = owed || slots.some((slot) => slot.filter === undefined);
      lines[event] = { event, sync, slots, always, dispatches: this.#lines[event]?.dispatches ?? 0 };
    }
    this.#lines = lines;
  }

  readonly #onFailure = (slot: Slot, event: EventName, error: unknown): void => {
    report(slot, event, error);
    if (endsRun(slot.hook, event, error)) throw error;
    if (++slot.failures < MAX_FAILURES) return;
    slot.ctx.logger.error(
      `Hook "${slot.hook.name}" is disabled: ${event} failed ${MAX_FAILURES} times in a row. Training goes on without it.`,
    );
    if (this.#find(slot.hook.name)?.enabled) this.disable(slot.hook.name);
  };
}

export interface HookFailure {
  hook: string;
  error: unknown;
  /** The run must be reported as failed. */
  fatal: boolean;
}

function slotsOf(hook: Hook): ReadonlyMap<EventName, Slot> {
  return new Map(
    eventsOf(hook).map((event) => {
      const handler = hook[event] as Slot['handler'];
      const slot: Slot = {
        hook,
        handler,
        filter: filterOf(handler),
        ctx: undefined as never, // bound when a run begins
        calls: 0,
        milliseconds: 0,
        failures: 0,
      };
      return [event, slot];
    }),
  );
}

function endsRun(hook: Hook, event: EventName, error: unknown): boolean {
  return isFatal(error) || hook.onError === 'fail' || event === 'setup' || EVENTS[event].kind === 'transform';
}

function report({ hook, ctx }: Slot, event: EventName, error: unknown): void {
  const { step, epoch } = ctx.state;
  const message = error instanceof Error ? error.message : String(error);
  ctx.logger.error(
    { err: error, event, step, epoch },
    `Hook "${hook.name}" failed in ${event} at step ${step}: ${message}`,
  );
}

function sum(slots: ReadonlyMap<EventName, Slot>, value: (slot: Slot) => number): number {
  return [...slots.values()].reduce((total, slot) => total + value(slot), 0);
}
