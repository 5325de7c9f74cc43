import { BUILT_IN_ORDER, type HookManager, type Metrics } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import { kindOf, trainerError } from '../errors.js';

/** The latest value of every metric, and what was logged since the last boundary. */
export class MetricLog {
  readonly latest: Record<string, number> = {};
  /** Names of what hooks that watch the run have logged. */
  readonly #watched = new Set<string>();
  /** Whether a hook watches the run; by name, of those that have logged something. */
  readonly #watchers = new Map<string, boolean>();
  #pending: Record<string, number> | undefined;

  constructor(private readonly hooks: Pick<HookManager, 'list'>) {}

  /** Logged by a hook: reported through `onLog` at the next boundary. */
  add(values: Metrics, hook: string): void {
    if (typeof values !== 'object' || values === null) throw notNumbers(values);
    const bare = Object.keys(values).find((name) => !name.includes('/'));
    if (bare !== undefined) {
      throw trainerError(
        'METRIC_NAME',
        `ctx.log was given "${bare}". Metric names have a prefix and a slash, such as "train/${bare}" or "my-hook/${bare}".`,
      );
    }
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'number') throw notANumber(name, value);
    }
    this.#pending = Object.assign(this.#pending ?? {}, values);
    Object.assign(this.latest, values);
    if (this.#watches(hook)) for (const name in values) this.#watched.add(name);
  }

  /** The latest value of what was measured and of what the user's own hooks logged. */
  get results(): Record<string, number> {
    const results = Object.entries(this.latest).filter(([name]) => !this.#watched.has(name));
    return Object.fromEntries(results);
  }

  /** Measured by the loop, which has its own events for it. */
  note(metrics: Metrics): void {
    Object.assign(this.latest, metrics);
  }

  /** What was logged since the last time; undefined when that is nothing. */
  take(): Metrics | undefined {
    const values = this.#pending;
    this.#pending = undefined;
    return values;
  }

  get pending(): Metrics {
    return { ...this.#pending };
  }

  set pending(values: Metrics) {
    if (Object.keys(values).length > 0) this.#pending = { ...values };
  }

  /** Built-in hooks that log, such as the gradient monitor, watch the run: their numbers are not results. */
  #watches(hook: string): boolean {
    let watches = this.#watchers.get(hook);
    if (watches === undefined) {
      const { slot = hook } = this.hooks.list().find(({ name }) => name === hook) ?? {};
      watches = BUILT_IN_ORDER.includes(slot);
      this.#watchers.set(hook, watches);
    }
    return watches;
  }
}

function notNumbers(values: unknown): Error {
  return trainerError(
    'METRIC_VALUE',
    `ctx.log was given ${kindOf(values)}, expected numbers by name: ctx.log({ 'my-hook/speed': 3 }).`,
  );
}

function notANumber(name: string, value: unknown): Error {
  const hint = isTensor(value) ? ' Read it first: (await tensor.data())[0].' : '';
  return trainerError(
    'METRIC_VALUE',
    `ctx.log was given ${kindOf(value)} for "${name}", expected a number.${hint}`,
  );
}
