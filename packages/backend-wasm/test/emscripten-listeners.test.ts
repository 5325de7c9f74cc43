import { afterEach, describe, expect, it, vi } from 'vitest';
import { withoutEmscriptenListeners } from '../src/index.js';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

class ExitStatus extends Error {}

/** The two that emscripten adds, as they are written in the wasm loaders of tfjs. */
const rethrow = (ex: unknown) => {
  if (!(ex instanceof ExitStatus)) throw ex;
};
// Made from text, by which they are recognised.
const minified = new Function('return function(a){throw a}')() as (reason: unknown) => void;
const spaced = new Function('return function (reason) {\n  throw reason;\n}')() as (reason: unknown) => void;

const own: (readonly [string, () => void])[] = [];

function listen(event: (typeof EVENTS)[number], listener: (reason: unknown) => void): void {
  process.on(event, listener as () => void);
  own.push([event, listener as () => void]);
}

afterEach(() => {
  for (const [event, listener] of own.splice(0)) process.removeListener(event, listener);
  vi.unstubAllGlobals();
});

const count = () => EVENTS.map((event) => process.listenerCount(event));

describe('starting the wasm module', () => {
  it.each([
    ['of development', rethrow],
    ['that is minified', minified],
    ['with other white space', spaced],
  ])('leaves no listener of emscripten behind, from a build %s', async (_name, listener) => {
    const before = count();
    await withoutEmscriptenListeners(() => {
      for (const event of EVENTS) listen(event, listener);
      expect(count()).not.toEqual(before);
    });
    expect(count()).toEqual(before);
  });

  it('gives what the start gives, at once or later', async () => {
    expect(await withoutEmscriptenListeners(() => 7)).toBe(7);
    expect(await withoutEmscriptenListeners(async () => 8)).toBe(8);
  });

  it('removes them when the start fails, too, and passes the error on', async () => {
    const before = count();
    const start = async () => {
      listen('unhandledRejection', minified);
      throw new Error('no such file');
    };
    await expect(withoutEmscriptenListeners(start)).rejects.toThrow('no such file');
    expect(count()).toEqual(before);
  });

  it('removes those that are added while it waits', async () => {
    const before = count();
    await withoutEmscriptenListeners(async () => {
      await Promise.resolve();
      listen('uncaughtException', rethrow);
    });
    expect(count()).toEqual(before);
  });

  it('leaves what was there before, even if it looks the same', async () => {
    listen('uncaughtException', minified);
    const before = count();
    await withoutEmscriptenListeners(() => {});
    expect(count()).toEqual(before);
  });

  it('leaves what other code adds meanwhile', async () => {
    const other = vi.fn();
    await withoutEmscriptenListeners(() => listen('uncaughtException', other));
    expect(process.rawListeners('uncaughtException')).toContain(other);
  });

  it.each([undefined, {}])('works where there are no listeners: process is %j', async (process) => {
    vi.stubGlobal('process', process);
    expect(await withoutEmscriptenListeners(() => 9)).toBe(9);
  });
});
