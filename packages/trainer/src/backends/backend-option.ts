import { checkOptions } from '@hookline/hook-api/helpers';
import type { CandidateName } from './candidates.js';

/** `auto`, one of the candidates, or any backend that the program has registered with tfjs (`webgpu`). */
export type BackendName = 'auto' | CandidateName | (string & {});

/** wasm, with settings. They hold for the whole process. */
export interface WasmBackendOptions {
  name: 'wasm';
  /**
   * How many threads compute large operations, with the same results to the bit; 1 when absent. `auto`: as many as the
   * machine has, or one where threads cannot be had.
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

export type WasmSettings = Omit<WasmBackendOptions, 'name'>;

export type BackendOption = BackendName | WasmBackendOptions;

/** The name, and the settings of wasm. Throws on a setting that does not exist or makes no sense. */
export function parseBackendOption(option: BackendOption = 'auto'): { name: string; wasm?: WasmSettings } {
  if (typeof option === 'string') return { name: option };
  // A name that is missing is reported like one that is wrong.
  const isObject = typeof option === 'object' && option !== null;
  checkOptions(isObject ? { ...option, name: option.name ?? null } : option, RULES, 'backend');
  const { name, ...wasm } = option;
  return { name, wasm };
}

const trueOrFalse = (value: unknown) => (typeof value === 'boolean' ? undefined : 'true or false');

const RULES = {
  name: (value: unknown) => (value === 'wasm' ? undefined : '"wasm": other backends are given as a string'),
  threads: (value: unknown) =>
    value === 'auto' || (Number.isInteger(value) && (value as number) > 0)
      ? undefined
      : '"auto" or a whole number above 0',
  fma: trueOrFalse,
  native: trueOrFalse,
};
