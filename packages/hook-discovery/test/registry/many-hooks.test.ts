import { expect, test } from 'vitest';
import { HookRegistry } from '../../src/index.js';
import { hook } from './installed.js';

const WALKS = [
  ...['filter', 'map', 'flatMap', 'some', 'find', 'findIndex', 'indexOf', 'includes', 'toSpliced'],
  Symbol.iterator,
] as ('filter' | typeof Symbol.iterator)[];

/** How many elements of lists may be looked at meanwhile: all of a list each time that something walks it. */
function elementsSeen(work: () => void): number {
  const list = Array.prototype as unknown as Record<string | symbol, (...args: unknown[]) => unknown>;
  const originals = new Map(WALKS.map((name) => [name, list[name]!]));
  let seen = 0;
  try {
    originals.forEach((original, name) => {
      list[name] = function (this: unknown[], ...args) {
        seen += this.length;
        return original.apply(this, args);
      };
    });
    work();
  } finally {
    originals.forEach((original, name) => {
      list[name] = original;
    });
  }
  return seen;
}

/** With 5,000, removing them one by one took a second. */
const COUNT = 1000;

test.each<[string, (registry: HookRegistry, name: string, remove: () => void) => void]>([
  ['adding', (registry, name) => void registry.add(hook(`another-${name}`))],
  ['removing', (_registry, _name, remove) => remove()],
  ['removing by name', (registry, name) => registry.remove(name)],
  ['switching off', (registry, name) => registry.disable(name)],
])('%s many hooks one by one does not go through all the others each time', (_what, act) => {
  const registry = new HookRegistry({ discover: false });
  const names = Array.from({ length: COUNT }, (_, index) => `hook-${index}`);
  const removers = names.map((name) => registry.add(hook(name)));
  const seen = elementsSeen(() => {
    for (let i = 0; i < COUNT; i++) act(registry, names[i]!, removers[i]!);
  });
  // A hook has some lists of its own.
  expect(seen / COUNT).toBeLessThan(COUNT / 4);
});
