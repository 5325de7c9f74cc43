import type { HooklineError } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';

/** What the device of the webgpu backend has. */
interface GpuDevice {
  addEventListener(type: 'uncapturederror', listener: (event: GpuErrorEvent) => void): void;
  readonly lost: Promise<{ readonly reason?: string; readonly message: string }>;
}

interface GpuErrorEvent {
  readonly error: { readonly message: string };
  preventDefault(): void;
}

const watched = new WeakSet<GpuDevice>();
let failure: HooklineError | undefined;

/**
 * From now on `checkDevice` throws when an operation failed on the device of the active backend, or the device is gone. WebGPU
 * reports neither to who asked for the operation: tensors would silently hold zeros.
 */
export function watchDevice(): void {
  const { device } = tf.backend() as unknown as { device?: Partial<GpuDevice> };
  if (!device?.addEventListener || !device.lost || watched.has(device as GpuDevice)) return;
  watched.add(device as GpuDevice);
  device.addEventListener('uncapturederror', (event) => {
    event.preventDefault();
    failure ??= trainerError(
      'DEVICE_ERROR',
      `An operation failed on the graphics device, so numbers since then are wrong: ${firstSentence(event.error.message)}. The weights may be wrong too: continue from the last checkpoint, with a smaller batch if memory was short, or on backend: 'wasm'.`,
      event.error,
    );
  });
  void device.lost.then(({ reason, message }) => {
    // Who destroys the device wants to be rid of it.
    if (reason === 'destroyed') return;
    failure ??= trainerError(
      'DEVICE_LOST',
      `The graphics device is gone: ${firstSentence(message) || 'it gave no reason'}. Start the program again and continue from the last checkpoint.`,
    );
  });
}

/** Throws what the device has reported since the last call. */
export function checkDevice(): void {
  if (!failure) return;
  const error = failure;
  failure = undefined;
  throw error;
}

/** The rest is where in the driver it happened. */
function firstSentence(message: string): string {
  return message.split('\n')[0]!.replace(/\.$/, '');
}
