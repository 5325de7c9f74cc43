import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { reachableKernels, readmeWithTable } from '../scripts/kernel-table.js';
import { TRAINING_KERNELS } from '../src/kernels/training-kernels.js';

describe('the table of kernels in the README', () => {
  it('is up to date; scripts/kernel-table.ts rewrites it', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(readmeWithTable()).toBe(readme);
  });

  it('calls added what tfjs lacks on wasm, and nothing else', () => {
    const isMissing = (name: string) => tf.getKernel(name, 'wasm') === undefined;
    const { added, ...others } = reachableKernels();
    expect(added.filter((name) => !isMissing(name))).toEqual([]);
    // Complex numbers, which no loss of real numbers reaches, stay missing.
    expect(Object.values(others).flat().filter(isMissing)).toEqual(['ComplexAbs']);
  });

  it('has every kernel of this package, once', () => {
    const names = TRAINING_KERNELS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const listed = Object.values(reachableKernels()).flat();
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  });
});
