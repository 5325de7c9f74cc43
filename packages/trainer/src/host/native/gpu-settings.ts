import type { GpuSettings } from '../contract.js';

/**
 * Sets what TensorFlow reads about graphics cards when it is loaded, here and in the process that tries it first. Memory
 * grows with use unless somebody wants otherwise: by default one program takes all memory of a card, also one that only tries.
 */
export function setGpuEnvironment(settings: GpuSettings = {}): void {
  Object.assign(process.env, environmentOf(settings));
}

/** Which of these settings TensorFlow, once it is loaded, has not seen: `NAME=value` for each. */
export function lateGpuSettings(settings: GpuSettings): string[] {
  return Object.entries(environmentOf(settings))
    .filter(([name, value]) => process.env[name] !== value)
    .map(([name, value]) => `${name}=${value}`);
}

function environmentOf({ gpu, memoryGrowth }: GpuSettings): Record<string, string> {
  const growth = memoryGrowth === undefined ? process.env.TF_FORCE_GPU_ALLOW_GROWTH : String(memoryGrowth);
  return {
    TF_FORCE_GPU_ALLOW_GROWTH: growth ?? 'true',
    // The order of nvidia-smi: by itself CUDA counts the fastest card first.
    ...(gpu === undefined ? {} : { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: String(gpu) }),
  };
}
