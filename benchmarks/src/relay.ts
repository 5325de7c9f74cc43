import { processorTime } from './processor-time.js';

/** Runs one side. It calls `handOver` now and then, and goes on when it is its turn again. */
export type Leg = (handOver: () => Promise<void>) => Promise<unknown>;

/**
 * Runs long sides once, at the same time but never at once: they take turns at the points they choose. So both meet
 * the same machine, even when a run takes seconds. Returns the processor time of each.
 */
export async function relay<Name extends string>(
  legs: Readonly<Record<Name, Leg>>,
): Promise<Record<Name, number>> {
  const baton = new Baton();
  const entries = Object.entries<Leg>(legs).map(async ([name, leg]) => [name, await runLeg(leg, baton)]);
  return Object.fromEntries(await Promise.all(entries));
}

async function runLeg(leg: Leg, baton: Baton): Promise<number> {
  let total = 0;
  let release = await baton.take();
  let start = processorTime();
  await leg(async () => {
    total += processorTime() - start;
    release();
    release = await baton.take();
    start = processorTime();
  });
  total += processorTime() - start;
  release();
  return total;
}

/** Held by one at a time, and handed on in the order in which they asked. */
class Baton {
  #free: Promise<void> = Promise.resolve();

  async take(): Promise<() => void> {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  }
}
