import { HookManager } from '@hookline/hook-api';
import { type Benchmark, roundsFor } from './benchmark.js';
import { createTally } from './handlers.js';
import { race, ratioOf, type Times } from './paired.js';

const STEPS = 20_000;

/** Asking for an event that nobody wants, in a loop that does some work, against an `if` in its place. */
export const unwantedEvent: Benchmark = async (settings) => {
  const manager = new HookManager();
  manager.add({ name: 'other', onEpochEnd() {}, onTrainEnd() {} });
  await manager.setup('fit', () => createTally());

  const pace = { rounds: roundsFor(settings), warmUp: 10, repeats: 15 };
  const one = await race({ due: oneDue(manager), if: oneIf(new Wanted()) }, pace);
  const ten = await race({ due: tenDue(manager), if: tenIfs(new Wanted()) }, pace);
  return [
    {
      what: 'event nobody wants: due() / if',
      ratio: ratioOf(one, 'due', 'if'),
      budget: 1.1,
      note: nanoseconds(one),
    },
    {
      what: 'ten events nobody wants, as in a step: due() / if',
      ratio: ratioOf(ten, 'due', 'if'),
      note: nanoseconds(ten),
    },
  ];
};

/** What one writes who has no manager: a flag for each event. */
class Wanted {
  onStepStart = false;
  onTrainBatchStart = false;
  transformBatch = false;
  onBeforeBackward = false;
  onAfterBackward = false;
  transformGradients = false;
  onBeforeOptimizerStep = false;
  onAfterOptimizerStep = false;
  onStepEnd = false;
  onTrainBatchEnd = false;
}

function oneDue(manager: HookManager): () => void {
  return () => {
    const work = new Work();
    for (let step = 0; step < STEPS; step++) {
      if (manager.due('onStepEnd')) work.calls++;
      work.advance(step);
    }
    sink = work.result;
  };
}

function oneIf(wanted: Wanted): () => void {
  return () => {
    const work = new Work();
    for (let step = 0; step < STEPS; step++) {
      if (wanted.onStepEnd) work.calls++;
      work.advance(step);
    }
    sink = work.result;
  };
}

function tenDue(manager: HookManager): () => void {
  return () => {
    const work = new Work();
    for (let step = 0; step < STEPS; step++) {
      if (manager.due('onStepStart')) work.calls++;
      if (manager.due('onTrainBatchStart')) work.calls++;
      if (manager.due('transformBatch')) work.calls++;
      if (manager.due('onBeforeBackward')) work.calls++;
      if (manager.due('onAfterBackward')) work.calls++;
      if (manager.due('transformGradients')) work.calls++;
      if (manager.due('onBeforeOptimizerStep')) work.calls++;
      if (manager.due('onAfterOptimizerStep')) work.calls++;
      if (manager.due('onStepEnd')) work.calls++;
      if (manager.due('onTrainBatchEnd')) work.calls++;
      work.advance(step);
    }
    sink = work.result;
  };
}

function tenIfs(wanted: Wanted): () => void {
  return () => {
    const work = new Work();
    for (let step = 0; step < STEPS; step++) {
      if (wanted.onStepStart) work.calls++;
      if (wanted.onTrainBatchStart) work.calls++;
      if (wanted.transformBatch) work.calls++;
      if (wanted.onBeforeBackward) work.calls++;
      if (wanted.onAfterBackward) work.calls++;
      if (wanted.transformGradients) work.calls++;
      if (wanted.onBeforeOptimizerStep) work.calls++;
      if (wanted.onAfterOptimizerStep) work.calls++;
      if (wanted.onStepEnd) work.calls++;
      if (wanted.onTrainBatchEnd) work.calls++;
      work.advance(step);
    }
    sink = work.result;
  };
}

/** Where results go, lest V8 leave the work out. */
export let sink = 0;

/** Some arithmetic of a few nanoseconds. Without any, an `if` costs nothing and there is nothing to compare. */
class Work {
  calls = 0;
  average = 0.5;

  advance(step: number): void {
    this.average = 0.9 * this.average + 0.1 * Math.sqrt(step + this.average);
  }

  get result(): number {
    return this.average + this.calls;
  }
}

function nanoseconds(times: Times<'due' | 'if'>): string {
  const each = (name: 'due' | 'if') => ((Math.min(...times[name]) * 1e6) / STEPS).toFixed(1);
  return `${each('due')} / ${each('if')} ns a step`;
}
