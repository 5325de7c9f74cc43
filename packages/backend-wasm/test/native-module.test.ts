import { afterEach, describe, expect, it, vi } from 'vitest';
import { enableTraining } from '../src/index.js';
import type { ModuleExports } from '../src/module/exports.js';
import { findKernels, type NativeKernels } from '../src/native/find-kernels.js';
import { nativeModule } from '../src/native/native-module.js';
import './backends.js';

/** A module and native kernels that only write down who computes. */
function recorded(names: readonly string[], declines = false) {
  const calls: string[] = [];
  const module = {
    unary: () => void calls.push('wasm unary'),
    binary: () => void calls.push('wasm binary'),
    lstm: () => void calls.push('wasm lstm'),
    allFinite: () => 1,
  } as unknown as ModuleExports;
  const kernels: NativeKernels = {
    file: 'kernels.node',
    instructions: 'avx2',
    names,
    bind: (name, memory) => () => {
      calls.push(`native ${name} in ${memory().length} bytes`);
      return !declines;
    },
    release: () => {},
  };
  let bytes = new Uint8Array(8);
  const own = nativeModule(module, kernels, () => bytes);
  const grow = () => {
    bytes = new Uint8Array(16);
  };
  return { own, module, calls, grow };
}

/** The arguments of `unary` for so many numbers. */
const numbers = (count: number) => [0, 64, 128, count, 0, 0] as const;

describe('a module with native kernels', () => {
  it('lets them compute what is large, and keeps what is small', () => {
    const { own, calls } = recorded(['unary']);
    own.unary(...numbers(511));
    own.unary(...numbers(512));
    expect(calls).toEqual(['wasm unary', 'native unary in 8 bytes']);
  });

  it('lets them compute at once what is large by its nature', () => {
    const { own, calls } = recorded(['lstm']);
    own.lstm(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, false, 1);
    expect(calls).toEqual(['native lstm in 8 bytes']);
  });

  it('measures what is large by all axes together', () => {
    const { own, calls } = recorded(['binary']);
    own.binary(0, 0, 0, 0, 1, 23, 89, 0, 0, 1, 0, 0, 1);
    own.binary(0, 0, 0, 0, 2, 32, 32, 0, 0, 1, 0, 0, 1);
    expect(calls).toEqual(['wasm binary', 'native binary in 8 bytes']);
  });

  it('computes itself what they decline', () => {
    const { own, calls } = recorded(['unary'], true);
    own.unary(...numbers(1000));
    expect(calls).toEqual(['native unary in 8 bytes', 'wasm unary']);
  });

  it('computes itself what they do not have, and results that are numbers', () => {
    const { own, module, calls } = recorded(['unary']);
    own.lstm(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, false, 1);
    expect(calls).toEqual(['wasm lstm']);
    expect(own.allFinite(0, 1)).toBe(1);
    expect(own.binary).toBe(module.binary);
  });

  it('leaves out kernels that this version does not know', () => {
    const { own } = recorded(['unary', 'ofTheFuture']);
    expect(Object.keys(own)).not.toContain('ofTheFuture');
  });

  it('shows them the memory as it is now, also when it has grown', () => {
    const { own, calls, grow } = recorded(['unary']);
    own.unary(...numbers(600));
    grow();
    own.unary(...numbers(600));
    expect(calls).toEqual(['native unary in 8 bytes', 'native unary in 16 bytes']);
  });

  it('leaves the module as it was', () => {
    const { module, calls } = recorded(['unary']);
    module.unary(...numbers(1000));
    expect(calls).toEqual(['wasm unary']);
  });
});

describe('native kernels are looked for', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.doUnmock('@hookline/kernels-native');
  });

  const installed = (loadKernels: () => unknown) =>
    vi.doMock('@hookline/kernels-native', () => ({ loadKernels }));

  it.each(['0', 'false', 'off', 'OFF', ' False '])('not with HOOKLINE_WASM_NATIVE=%j', async (value) => {
    vi.stubEnv('HOOKLINE_WASM_NATIVE', value);
    installed(() => {
      throw new Error('loaded all the same');
    });
    expect(await findKernels()).toEqual({ why: 'HOOKLINE_WASM_NATIVE switches them off' });
  });

  it.each(['1', '', 'true', 'on', undefined])('with HOOKLINE_WASM_NATIVE=%j', async (value) => {
    vi.stubEnv('HOOKLINE_WASM_NATIVE', value);
    const kernels = { instructions: 'avx2' };
    installed(() => kernels);
    expect(await findKernels()).toEqual({ kernels });
  });

  it('and it is said why there are none', async () => {
    vi.stubEnv('HOOKLINE_WASM_NATIVE', '1');
    installed(() => undefined);
    const other = '@hookline/kernels-native has no kernels for this platform and processor';
    expect(await findKernels()).toEqual({ why: other });
    installed(() => {
      throw new Error('kernels.node: not an addon');
    });
    expect(await findKernels()).toEqual({ why: 'kernels.node: not an addon' });
  });

  it.each([undefined, { versions: {} }, {}])('not outside of Node: %j', async (process) => {
    vi.stubGlobal('process', process);
    expect(await findKernels()).toEqual({ why: 'they need Node' });
  });
});

describe('what enableTraining() says about native kernels', () => {
  afterEach(async () => {
    await enableTraining({ native: true, fma: true });
  });

  it.each([
    [{ native: false }, '`native: false` switches them off'],
    [{ fma: false }, 'they multiply and add with one rounding, which is switched off or cannot be had here'],
    [{ native: false, fma: false }, '`native: false` switches them off'],
  ])('with %j: why there are none', async (options, why) => {
    const { native, whyNotNative } = await enableTraining(options);
    expect({ native, whyNotNative }).toEqual({ native: undefined, whyNotNative: why });
  });
});
