import { profiler } from '@hookline/hook-profiler';
import type { Benchmark } from './benchmark.js';
import { hooksOnMlp } from './hooks-on-mlp.js';

/** A run that is profiled against one that is not. */
export const profiling: Benchmark = async (settings) => {
  // Without kernels: they belong to the backend, so the other side would be timed as well.
  const row = await hooksOnMlp(settings, { profiled: profiler() });
  return [row('profiled', 'profiler', 1.03)];
};
