import { type Hook, HookManager } from '@hookline/hook-api';
import { createHooks } from 'hookable';
import { SyncHook } from 'tapable';
import { type Benchmark, type Row, roundsFor } from './benchmark.js';
import { createTally, HANDLERS, type Handler, type Tally } from './handlers.js';
import { race, ratioOf, type Sides, type Times } from './paired.js';

/** Short runs: of many, some are disturbed by nobody. */
const EVENTS = 5_000;

type SideName = 'hookline' | 'hand loop' | 'tapable' | 'hookable';

/** One event to 0, 1 and 10 hooks: the manager against a loop written by hand, and others against the same loop. */
export const dispatch: Benchmark = async (settings) => {
  const rows: Row[] = [];
  for (const hooks of [10, 1, 0]) {
    const sides = await sidesFor(HANDLERS.slice(0, hooks));
    const times = await race(sides, { rounds: roundsFor(settings), warmUp: 10, repeats: 15 });
    const what = (subject: string) => `dispatch to ${hooks} hooks: ${subject} / hand loop`;
    rows.push({
      what: what('hookline'),
      ratio: ratioOf(times, 'hookline', 'hand loop'),
      ...(hooks === 10 && { budget: 1.3 }),
      note: nanoseconds(times, 'hookline'),
    });
    if (hooks === 0) continue;
    for (const other of ['tapable', 'hookable'] as const)
      rows.push({
        what: what(other),
        ratio: ratioOf(times, other, 'hand loop'),
        note: nanoseconds(times, other),
      });
  }
  return rows;
};

/** Each side has a loop of its own: in a shared one, V8 would mix up what it learned about them. */
async function sidesFor(handlers: readonly Handler[]): Promise<Sides<SideName>> {
  const ctx = createTally();
  const manager = await managerOf(handlers, ctx);
  const byHand = new HandLoop();
  const tapable = new SyncHook<[Tally, StepEnd]>(['ctx', 'event']);
  const hookable = createHooks<{ onStepEnd: Handler }>();
  for (const [index, handler] of handlers.entries()) {
    byHand.add(handler);
    tapable.tap(`hook-${index}`, handler);
    hookable.hook('onStepEnd', handler);
  }
  return {
    'hand loop': () => {
      for (let step = 0; step < EVENTS; step++) byHand.call(ctx, stepEnd(step));
    },
    hookline: () => {
      for (let step = 0; step < EVENTS; step++) manager.call('onStepEnd', stepEnd(step));
    },
    tapable: () => {
      for (let step = 0; step < EVENTS; step++) tapable.call(ctx, stepEnd(step));
    },
    hookable: () => {
      for (let step = 0; step < EVENTS; step++) hookable.callHook('onStepEnd', ctx, stepEnd(step));
    },
  };
}

/** What one writes who needs no more than this. */
class HandLoop {
  #handlers: Handler[] = [];

  add(handler: Handler): void {
    this.#handlers = [...this.#handlers, handler];
  }

  call(ctx: Tally, event: StepEnd): void {
    for (const handler of this.#handlers) handler(ctx, event);
  }
}

async function managerOf(handlers: readonly Handler[], ctx: Tally): Promise<HookManager> {
  const manager = new HookManager();
  for (const [index, handler] of handlers.entries())
    manager.add({ name: `hook-${index}`, onStepEnd: handler as NonNullable<Hook['onStepEnd']> });
  await manager.setup('fit', () => ctx);
  return manager;
}

type StepEnd = Parameters<Handler>[1];

const NO_METRICS = {};

function stepEnd(step: number): StepEnd {
  return { step, loss: step * 0.001, metrics: NO_METRICS };
}

function nanoseconds(times: Times<SideName>, subject: SideName): string {
  const each = (name: SideName) => ((Math.min(...times[name]) * 1e6) / EVENTS).toFixed(1);
  return `${each(subject)} / ${each('hand loop')} ns an event`;
}
