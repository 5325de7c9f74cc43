import { EVENTS, type EventName, type Hook, type HookContext } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import type { Check } from '../check.js';
import type { Subject } from '../subject.js';
import { BATCHES, FIT, trial } from '../trial/trial.js';

/** Epochs of a fit in which all that has an end comes to it in the first half. */
const LONG = 20;

export const leaks: Check = {
  name: 'leaks',
  promise: 'leaves no tensor behind, neither in a step nor after a fit',
  needs: ['fit'],
  async run(subject) {
    bareCounts ??= tensorsOver([]);
    const bare = await bareCounts;
    const found = await tensorsOver(subject.make());
    // What fills up in the first half may stay: a buffer with an end, the best weights so far.
    const inEpoch = growth(found.atEpochs) - growth(bare.atEpochs);
    const inFit = growth(found.afterFits) - growth(bare.afterFits);
    if (inEpoch > 0) {
      const steps = BATCHES * (LONG / 2 - 1);
      return [`${inEpoch} tensors more after ${steps} steps${await whereMade(subject)}. ${FIX}`];
    }
    return inFit > 0 ? [`Each fit leaves ${inFit} tensors behind${await whereMade(subject)}. ${FIX}`] : [];
  },
};

/** Without a hook: the same for all of them. */
let bareCounts: Promise<Counts> | undefined;

const FIX = 'Dispose what the hook makes, in teardown at the latest, or put a tf.tidy around it.';

interface Counts {
  /** In the second half of a long fit. */
  atEpochs: number[];
  afterFits: number[];
}

async function tensorsOver(hooks: readonly Hook[]): Promise<Counts> {
  const counts: Counts = { atEpochs: [], afterFits: [] };
  const counter: Hook = {
    name: 'counts-tensors',
    onEpochStart: (_ctx, { epoch }) => {
      if (epoch >= LONG / 2) counts.atEpochs.push(tf.memory().numTensors);
    },
  };
  await trial([counter, ...hooks], {
    work: async (trainer) => {
      const { validation: _, ...long } = FIT;
      await trainer.fit({ ...long, epochs: LONG });
      for (let round = 0; round < 2; round++) {
        await trainer.fit({ ...FIT, epochs: 1 });
        counts.afterFits.push(tf.memory().numTensors);
      }
    },
  });
  return counts;
}

function growth(counts: readonly number[]): number {
  return counts.length === 0 ? 0 : counts.at(-1)! - counts[0]!;
}

/** The event in which the hook makes most tensors that it does not dispose in the same call. */
async function whereMade(subject: Subject): Promise<string> {
  const added = new Map<EventName, number>();
  await trial(subject.make().map((hook) => counted(hook, added)));
  const [event, count = 0] = [...added].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return count > 0 ? `; most of them are made in ${event}` : '';
}

function counted(hook: Hook, added: Map<EventName, number>): Hook {
  const methods = (Object.keys(EVENTS) as EventName[]).filter((event) => typeof hook[event] === 'function');
  const counting = (event: EventName) => (ctx: HookContext, payload: unknown) => {
    const before = tf.memory().numTensors;
    const note = () => void added.set(event, (added.get(event) ?? 0) + tf.memory().numTensors - before);
    const method = hook[event] as (ctx: HookContext, payload: unknown) => unknown;
    const returned = method.call(hook, ctx, payload);
    if (returned instanceof Promise) return returned.finally(note);
    note();
    return returned;
  };
  return Object.assign(
    Object.create(hook) as Hook,
    Object.fromEntries(methods.map((event) => [event, counting(event)])),
  );
}
