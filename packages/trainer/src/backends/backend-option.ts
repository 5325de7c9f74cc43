import { checkOptions } from '@hookline/hook-api/helpers';
import type { GpuSettings } from '#host';
import type { CandidateName } from './candidates.js';

/** `auto`, one of the candidates, or any backend that the program has registered with tfjs (`webgpu`). */
export type BackendName = 'auto' | CandidateName | (string & {});

/** wasm, with settings. They hold for the whole process. */
export interface WasmBackendOptions {
  name: 'wasm';
  /**
   * How many threads compute large operations, with the same results to the bit. `auto`, which is what it is when
   * absent: up to as many as the machine has, while that is faster, or one where threads are not available.
   */
  threads?: number | 'auto';
  /**
   * Whether to multiply and add with one rounding where the machine can, which is faster; true when absent. With
   * `false` the results are the same on every machine.
   */
  fma?: boolean;
  /**
   * Whether to compute with @hookline/kernels-native where it is installed and fits the machine, with the same results
   * to the bit; true when absent.
   */
  native?: boolean;
}

/** tfjs-node-gpu, with settings. TensorFlow reads them when it is loaded, so that they hold for the whole process. */
export interface GpuBackendOptions extends GpuSettings {
  name: 'tfjs-node-gpu';
}

export type WasmSettings = Omit<WasmBackendOptions, 'name'>;

export type BackendOption = BackendName | WasmBackendOptions | GpuBackendOptions;

/** The name, and the settings of that backend. */
export interface ParsedBackend {
  name: string;
  wasm?: WasmSettings;
  gpu?: GpuSettings;
}

/** Throws on a setting that does not exist or makes no sense. */
export function parseBackendOption(option: BackendOption = 'auto'): ParsedBackend {
  if (typeof option === 'string') return { name: option };
  // A name that is missing is reported like one that is wrong.
  const isObject = typeof option === 'object' && option !== null;
  const rules = isObject && option.name === 'tfjs-node-gpu' ? GPU_RULES : WASM_RULES;
  checkOptions(isObject ? { ...option, name: option.name ?? null } : option, rules, 'backend');
  if (option.name === 'wasm') {
    const { name, ...wasm } = option;
    return { name, wasm };
  }
  const { name, ...gpu } = option;
  return { name, gpu };
}

const trueOrFalse = (value: unknown) => (typeof value === 'boolean' ? undefined : 'true or false');

const WASM_RULES = {
  name: (value: unknown) =>
    value === 'wasm' ? undefined : '"wasm" or "tfjs-node-gpu": other backends are given as a string',
  threads: (value: unknown) =>
    value === 'auto' || (Number.isInteger(value) && (value as number) > 0)
      ? undefined
      : '"auto" or a whole number above 0',
  fma: trueOrFalse,
  native: trueOrFalse,
};

const GPU_RULES = {
  name: () => undefined,
  gpu: (value: unknown) =>
    Number.isInteger(value) && (value as number) >= -1
      ? undefined
      : 'the number of a card, as nvidia-smi counts, or -1 for none',
  memoryGrowth: trueOrFalse,
};
