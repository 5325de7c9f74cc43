import { errorOf } from '@hookline/test-support';
import { describe, expect, it } from 'vitest';
import { type BackendOption, parseBackendOption } from '../../src/backends/backend-option.js';
import { type BackendOption as Exported, Trainer, type TrainerOptions } from '../../src/index.js';

const wrong = (option: unknown) => errorOf(() => parseBackendOption(option as BackendOption));

describe('the option backend', () => {
  it.each(['auto', 'wasm', 'cpu', 'tfjs-node', 'webgpu'])('is a name: %s', (name) => {
    expect(parseBackendOption(name)).toEqual({ name });
  });

  it('is auto when absent', () => {
    expect(parseBackendOption(undefined)).toEqual({ name: 'auto' });
  });

  it.each([
    [{ name: 'wasm' }, {}],
    [{ name: 'wasm', threads: 'auto' }, { threads: 'auto' }],
    [
      { name: 'wasm', threads: 2, fma: false },
      { threads: 2, fma: false },
    ],
  ] as [Exported, object][])('is wasm with settings: %j', (option, wasm) => {
    expect(parseBackendOption(option)).toEqual({ name: 'wasm', wasm });
  });

  it('is tfjs-node-gpu with settings', () => {
    const gpu = { gpu: 1, memoryGrowth: false };
    expect(parseBackendOption({ name: 'tfjs-node-gpu', ...gpu })).toEqual({ name: 'tfjs-node-gpu', gpu });
  });

  it.each([
    [{ name: 'wasm', thread: 2 }, 'unknown option "thread". Did you mean "threads"?'],
    [{ name: 'wasm', threads: 0 }, '"threads" must be "auto" or a whole number above 0, got 0'],
    [{ name: 'wasm', threads: 1.5 }, 'whole number above 0, got 1.5'],
    [{ name: 'wasm', threads: true }, 'whole number above 0, got true'],
    [{ name: 'wasm', fma: 'no' }, '"fma" must be true or false, got "no"'],
    [
      { name: 'cpu' },
      '"name" must be "wasm" or "tfjs-node-gpu": other backends are given as a string, got "cpu"',
    ],
    [{ threads: 2 }, '"name" must be "wasm"'],
    [{ name: 'tfjs-node-gpu', gpu: 0.5 }, '"gpu" must be the number of a card, as nvidia-smi counts'],
    [{ name: 'tfjs-node-gpu', gpu: -2 }, 'or -1 for none, got -2'],
    [{ name: 'tfjs-node-gpu', memoryGrowth: 'yes' }, '"memoryGrowth" must be true or false, got "yes"'],
    [{ name: 'tfjs-node-gpu', threads: 2 }, 'unknown option "threads"'],
    [null, 'expected an object, got null'],
    [7, 'expected an object, got 7'],
  ])('names what is wrong with %j', async (option, message) => {
    expect(await wrong(option)).toMatchObject({
      code: 'BAD_OPTIONS',
      message: expect.stringContaining(message),
    });
  });

  it('is checked when the trainer is made, before anything runs', async () => {
    const options = { model: {}, backend: { name: 'wasm', thread: 2 } } as unknown as TrainerOptions;
    expect(await errorOf(() => new Trainer(options))).toMatchObject({
      code: 'BAD_OPTIONS',
      message: expect.stringContaining('Did you mean "threads"?'),
    });
  });
});
