import type { Benchmark } from './benchmark.js';

/** All benchmarks by name, in the order of the table. Each is imported only in the process that runs it. */
export const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  dispatch: async () => (await import('./dispatch.js')).dispatch,
  'unwanted-event': async () => (await import('./unwanted-event.js')).unwantedEvent,
  'trainer-tiny-wasm': async () => (await import('./trainer-loop.js')).tinyOnWasm,
  'trainer-tiny-cpu': async () => (await import('./trainer-loop.js')).tinyOnCpu,
  'trainer-mlp-wasm': async () => (await import('./trainer-loop.js')).mlpOnWasm,
  'data-shuffle': async () => (await import('./data-loading.js')).shuffledData,
  'data-prefetch': async () => (await import('./data-loading.js')).prefetch,
  'default-hooks': async () => (await import('./default-hooks.js')).defaultHooks,
  discovery: async () => (await import('./discovery.js')).discovery,
  'import-time': async () => (await import('./import-time.js')).importTime,
  'tensor-growth': async () => (await import('./tensor-growth.js')).tensorGrowth,
};
