import { type Hook, HookManager } from '@hookline/hook-api';
import { createHooks } from 'hookable';
import { SyncHook } from 'tapable';
import { type Benchmark, type Row, roundsFor } from './benchmark.js';
import { createHandlers, createTally, type Handler, type Tally, withKeptNames } from './handlers.js';
import { race, ratioOf, type Sides, type Times } from './paired.js';

/** Short runs: of many, some are disturbed by nobody. */
const EVENTS = 5_000;

type SideName = 'hookline' | 'hand loop' | 'tapable' | 'hookable';

/** One event to 10, 1 and 0 hooks: the manager against a loop written by hand, and others against the same loop. */
export const dispatch: Benchmark = async (settings) => {
  const cases: [what: string, handlers: Handler[], budget?: number][] = [
    ['10 hooks', createHandlers(), 1.3],
    ['10 hooks compiled by tsx', withKeptNames(createHandlers()), 1.3],
    ['1 hook', createHandlers().slice(0, 1)],
    ['0 hooks', []],
  ];
  const rows: Row[] = [];
  for (const [what, handlers, budget] of cases) {
    const times = await race(await sidesFor(handlers), {
      rounds: roundsFor(settings),
      warmUp: 10,
      repeats: 15,
    });
    const row = (subject: SideName, limit?: number): Row => ({
      what: `dispatch to ${what}: ${subject} / hand loop`,
      ratio: ratioOf(times, subject, 'hand loop'),
      ...(limit !== undefined && { budget: limit }),
      note: nanoseconds(times, subject),
    });
    rows.push(row('hookline', budget));
    if (handlers.length > 0) rows.push(row('tapable'), row('hookable'));
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
