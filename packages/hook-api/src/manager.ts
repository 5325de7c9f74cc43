import type { HookContext, Stage } from './context.js';
import { HooklineError } from './errors.js';
import {
  EVENTS,
  type EventName,
  type EventOfKind,
  type HookEvents,
  type SyncEvent,
  type TransformResults,
} from './events.js';
import type { Hook } from './hook.js';
import type { AddHookOptions, HookCost, HookFailure, HookInfo, HookSource } from './hook-info.js';
import { assertHook, kindsOf } from './inspect-hook.js';
import {
  type Accept,
  callListener,
  countRoutine,
  isDue,
  type Line,
  lineOf,
  type Only,
  run,
  runRoutine,
  watched,
} from './line.js';
import { endsRun, type Listener, listenersOf, report } from './listener.js';
import { didYouMean } from './nearest.js';
import { orderHooks } from './order.js';
import { loadHook, type SavedHook, saveHook } from './saved-hook.js';
import type { LoadedHookState } from './state.js';

interface Entry {
  readonly name: string;
  readonly slot: string;
  readonly source: HookSource;
  readonly hook: Hook;
  readonly listeners: ReadonlyMap<EventName, Listener>;
  enabled: boolean;
  /** Setup has finished in this run: it is called, and it will be torn down. */
  ready: boolean;
}

interface ManagedRun {
  readonly stage: Stage;
  readonly contextFor: (hook: Hook) => HookContext;
  /** Of teardowns. */
  readonly failures: HookFailure[];
}

/** A failing `on*` method is given this many chances in a row before its hook is disabled. */
const MAX_FAILURES = 3;

/** What an observer returns changes nothing. */
const KEEP: Accept = (payload) => payload;

/** Holds the hooks of a trainer and calls them: in order, only when due, each shielded from the failures of the others. */
export class HookManager {
  /** By name, in the order in which they were added. */
  readonly #entries = new Map<string, Entry>();
  /** Sorted when they are next needed, like the lines: sorting at each of 5,000 adds took seconds. */
  #ordered: Entry[] | undefined;
  /** Compiled when they are next needed: many hooks may change before that. */
  #lines: Partial<Record<EventName, Line>> | undefined;
  #revision = 0;
  #run: ManagedRun | undefined;
  /** Hooks that the run owes a setup (added or enabled) or a teardown (removed) before its next event. */
  #owed = new Set<Entry>();

  /** Registers a hook and returns its remover. */
  add(hook: Hook, { source = 'code', enabled = true, slot }: AddHookOptions = {}): () => void {
    assertHook(hook);
    const { name } = hook;
    if (this.#entries.has(name)) {
      throw new HooklineError(
        'DUPLICATE_HOOK',
        `There is already a hook named "${name}". Rename one: saved state goes by name.`,
      );
    }
    const entry: Entry = {
      name,
      slot: slot ?? name,
      source,
      hook,
      listeners: listenersOf(hook),
      enabled,
      ready: false,
    };
    if (this.#run) this.#bind(entry);
    this.#entries.set(name, entry);
    this.#change(entry);
    return () => {
      if (this.#entries.get(name) === entry) this.remove(name);
    };
  }

  remove(name: string): void {
    const entry = this.#require(name);
    this.#entries.delete(name);
    this.#change(entry);
  }

  enable(name: string): void {
    const entry = this.#require(name);
    entry.enabled = true;
    for (const listener of entry.listeners.values()) listener.failures = 0;
    this.#change(entry);
  }

  /** The hook stays registered and keeps its state, but is not called. */
  disable(name: string): void {
    const entry = this.#require(name);
    entry.enabled = false;
    this.#change(entry);
  }

  get(name: string): Hook | undefined {
    return this.#entries.get(name)?.hook;
  }

  /** All hooks in the order in which they are called. */
  list(): HookInfo[] {
    return this.#order().map(({ hook, listeners, ready, ...info }) => ({ ...info, kinds: kindsOf(hook) }));
  }

  /** Changes whenever hooks are added, removed, enabled or disabled. */
  get revision(): number {
    return this.#revision;
  }

  /** The hooks that are called for any of these events. */
  listeners(...events: EventName[]): Hook[] {
    return this.#order()
      .filter((entry) => entry.enabled && entry.ready && events.some((event) => entry.listeners.has(event)))
      .map(({ hook }) => hook);
  }

  costs(): HookCost[] {
    this.#countRoutine();
    return this.#order().map(({ name, listeners }) => {
      const cost: HookCost = { name, calls: 0, milliseconds: 0 };
      for (const { calls, milliseconds, timedAt } of listeners.values()) {
        cost.calls += calls;
        // Calls since the last timed one took as long as those before, for all we know.
        cost.milliseconds += (milliseconds * calls) / (timedAt || 1);
      }
      return cost;
    });
  }

  /**
   * Whether anybody, or any of those that pass `only`, would be called now: build no payload and read nothing from
   * the device when nobody would.
   */
  due(event: EventName, only?: Only): boolean {
    const line = (this.#lines ?? this.#compile())[event];
    return !!line && isDue(narrowed(line, only));
  }

  /** Calls every due hook's method, or `only` some. Returns a promise only when one of them does. */
  call<Name extends EventOfKind<'observe'>>(
    event: Name,
    payload: HookEvents[Name],
    only?: Only,
  ): void | Promise<void> {
    const line = (this.#lines ?? this.#compile())[event];
    if (!line) return;
    // The routine case goes straight to the line: this is what a training step pays for its hooks.
    const isRoutine = line.routine > 0 && !only;
    const outcome = isRoutine
      ? runRoutine(line, payload, KEEP, this.#onFailure)
      : this.#dispatch(line, payload, KEEP, only);
    if (outcome !== payload) return outcome as Promise<void>;
  }

  /**
   * Lets each due hook replace what it is given. `accept` joins a hook's result with the payload for the next
   * one: the caller knows who owns which tensor. Any failure ends the run: without the transform
   * it would train something else than the user asked for.
   */
  transform<Name extends EventOfKind<'transform'>>(
    event: Name,
    payload: HookEvents[Name],
    accept: (payload: HookEvents[Name], result: TransformResults[Name], hook: Hook) => HookEvents[Name],
    only?: Only,
  ): Name extends SyncEvent ? HookEvents[Name] : HookEvents[Name] | Promise<HookEvents[Name]>;
  transform(event: EventName, payload: unknown, accept: Accept, only?: Only): unknown {
    const line = (this.#lines ?? this.#compile())[event];
    return line ? this.#dispatch(line, payload, accept, only) : payload;
  }

  /** Starts a run: gives every hook its context and sets the enabled ones up, in order. */
  async setup(stage: Stage, contextFor: (hook: Hook) => HookContext): Promise<void> {
    this.#run = { stage, contextFor, failures: [] };
    for (const entry of this.#order()) {
      this.#bind(entry);
      this.#note(entry);
    }
    await this.#settle();
  }

  /** Ends a run: tears down, in reverse order, every hook that was set up. Returns the errors of all teardowns. */
  async teardown(): Promise<HookFailure[]> {
    this.#waiveSetups();
    for (const entry of [...this.#owed, ...this.#order().toReversed()]) {
      if (entry.ready) await this.#tearDown(entry);
    }
    const failures = this.#run?.failures ?? [];
    this.#run = undefined;
    this.#owed.clear();
    this.#outdate();
    return failures;
  }

  /**
   * What a checkpoint holds of the hooks: their own states, and those of their filters. With `onFailure`, which gets the
   * error, a hook that cannot save its state is left out.
   */
  saveState(onFailure?: (error: unknown) => void): Record<string, SavedHook> {
    return Object.fromEntries(
      this.#order().map(({ name, hook, listeners }) => [name, saveHook(hook, listeners, onFailure)]),
    );
  }

  /** Gives hooks their saved states, within a run; returns the names of states that no hook here has. */
  loadState(saved: Readonly<Record<string, SavedHook<LoadedHookState>>>): string[] {
    for (const { name, hook, listeners } of this.#order()) {
      loadHook(hook, listeners, Object.hasOwn(saved, name) ? saved[name]! : {});
    }
    return Object.keys(saved).filter((name) => !this.#entries.has(name));
  }

  #dispatch(line: Line, payload: unknown, accept: Accept, only?: Only): unknown {
    if (this.#owed.size === 0 || line.sync)
      return run(narrowed(line, only), payload, accept, this.#onFailure);
    return this.#settle().then(() =>
      this.transform(line.event as never, payload as never, accept as never, only),
    );
  }

  #order(): Entry[] {
    this.#ordered ??= orderHooks(this.#entries.values());
    return this.#ordered;
  }

  #require(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    const names = this.#order().map((each) => each.name);
    throw new HooklineError(
      'UNKNOWN_HOOK',
      `There is no hook named "${name}".${didYouMean(name, names)} Hooks: ${names.join(', ') || 'none'}.`,
    );
  }

  #change(entry: Entry): void {
    this.#ordered = undefined;
    this.#note(entry);
    this.#outdate();
  }

  /** Updates `#owed` after a change of the hook. */
  #note(entry: Entry): void {
    const owed = this.#entries.get(entry.name) === entry ? entry.enabled && !entry.ready : entry.ready;
    if (this.#run && owed) this.#owed.add(entry);
    else this.#owed.delete(entry);
  }

  /** Sets up what was added or enabled, tears down what was removed. */
  async #settle(): Promise<void> {
    try {
      for (const entry of this.#owed) {
        this.#owed.delete(entry);
        await (entry.ready ? this.#tearDown(entry) : this.#setUp(entry));
      }
    } catch (error) {
      // The run has failed: nobody else is set up, and those who are will be told.
      this.#waiveSetups();
      throw error;
    } finally {
      this.#outdate();
    }
  }

  #waiveSetups(): void {
    for (const entry of this.#owed) if (!entry.ready) this.#owed.delete(entry);
  }

  async #setUp(entry: Entry): Promise<void> {
    await this.#lifecycle(entry, 'setup');
    entry.ready = true;
    this.#note(entry); // it may have been removed meanwhile
  }

  /** Gives a hook its context for this run, and forgets what an earlier run counted and remembered. */
  #bind({ hook, listeners }: Entry): void {
    const ctx = this.#run!.contextFor(hook);
    for (const listener of listeners.values()) {
      listener.ctx = ctx;
      listener.calls = listener.timedAt = listener.milliseconds = listener.failures = 0;
      listener.filter?.reset(ctx);
    }
  }

  async #tearDown(entry: Entry): Promise<void> {
    entry.ready = false;
    this.#owed.delete(entry);
    this.#outdate(); // the teardowns of others may still cause events
    try {
      await this.#lifecycle(entry, 'teardown');
    } catch (error) {
      this.#run!.failures.push({
        hook: entry.name,
        error,
        fatal: endsRun(entry.listeners.get('teardown')!, error),
      });
    }
  }

  async #lifecycle(entry: Entry, event: 'setup' | 'teardown'): Promise<void> {
    const listener = entry.listeners.get(event);
    try {
      if (listener) await watched(listener, callListener(listener, { stage: this.#run!.stage }));
    } catch (error) {
      report(listener!, error);
      throw error;
    }
  }

  #outdate(): void {
    this.#revision++;
    this.#countRoutine();
    this.#lines = undefined;
  }

  /** Lists are replaced when hooks change, never while they run: a dispatch finishes on the list it started with. */
  #compile(): Partial<Record<EventName, Line>> {
    const ready = this.#order().filter(({ enabled, ready }) => enabled && ready);
    const lines: Partial<Record<EventName, Line>> = {};
    for (const event of Object.keys(EVENTS) as EventName[]) {
      const listeners = ready.flatMap((entry) => entry.listeners.get(event) ?? []);
      // While a setup is owed, every event that can wait counts as wanted: calling it settles the debt.
      const owed = this.#owed.size > 0 && !EVENTS[event].sync;
      if (listeners.length > 0 || owed) lines[event] = lineOf(event, listeners, owed);
    }
    this.#lines = lines;
    return lines;
  }

  #countRoutine(): void {
    for (const line of Object.values(this.#lines ?? {})) countRoutine(line);
  }

  readonly #onFailure = (listener: Listener, error: unknown): void => {
    report(listener, error);
    if (endsRun(listener, error)) throw error;
    const { name } = listener.hook;
    const entry = this.#entries.get(name);
    if (++listener.failures < MAX_FAILURES || entry?.hook !== listener.hook || !entry.enabled) return;
    listener.ctx.logger.error(
      `Hook "${name}" is disabled: ${listener.event} failed ${MAX_FAILURES} times in a row.`,
    );
    this.disable(name);
  };
}

/** The same line for some of its hooks. */
function narrowed(line: Line, only: Only | undefined): Line {
  if (!only) return line;
  const listeners = line.listeners.filter(({ hook }) => only(hook));
  return lineOf(line.event, listeners, line.owed, only);
}
