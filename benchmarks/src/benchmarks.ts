import type { Benchmark } from './benchmark.js';

/** All benchmarks by name, in the order of the table. Each is imported only in the process that runs it. */
export const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  dispatch: async () => (await import('./dispatch.js')).dispatch,
  'unwanted-event': async () => (await import('./unwanted-event.js')).unwantedEvent,
  'trainer-tiny-wasm': async () => (await import('./trainer-loop.js')).tinyOnWasm,
  'trainer-tiny-cpu': async () => (await import('./trainer-loop.js')).tinyOnCpu,
  'trainer-mlp-wasm': async () => (await import('./trainer-loop.js')).mlpOnWasm,
  'trainer-mlp-cpu': async () => (await import('./trainer-loop.js')).mlpOnCpu,
  'training-steps': async () => (await import('./training-steps.js')).trainingSteps,
  threads: async () => (await import('./threads.js')).threads,
  accelerate: async () => (await import('./accelerate.js')).accelerate,
  'data-shuffle': async () => (await import('./data-loading.js')).shuffledData,
  'data-prefetch': async () => (await import('./data-loading.js')).prefetch,
  'csv-reading': async () => (await import('./csv-reading.js')).csvReading,
  'gradient-monitor': async () => (await import('./gradient-monitor.js')).gradientMonitorEveryStep,
  'default-hooks': async () => (await import('./default-hooks.js')).defaultHooks,
  'checkpoint-stall': async () => (await import('./checkpoint-stall.js')).checkpointStall,
  'checkpoint-memory': async () => (await import('./checkpoint-memory.js')).checkpointMemory,
  taps: async () => (await import('./taps.js')).taps,
  profiler: async () => (await import('./profiler.js')).profiling,
  dashboard: async () => (await import('./dashboard.js')).dashboardPages,
  discovery: async () => (await import('./discovery.js')).discovery,
  'import-time': async () => (await import('./import-time.js')).importTime,
  safetensors: async () => (await import('./safetensors-save.js')).safetensorsSave,
  'peak-memory': async () => (await import('./peak-memory.js')).peakMemory,
  'tensor-growth': async () => (await import('./tensor-growth.js')).tensorGrowth,
};
