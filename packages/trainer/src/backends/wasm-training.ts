import { enableTraining, type Training } from '@hookline/backend-wasm';
import { messageOf } from '@hookline/hook-api/helpers';
import { environment } from '@hookline/host';
import { warnUser } from '#host';
import type { WasmSettings } from './backend-option.js';

/**
 * The wasm backend of tfjs cannot train a convolution or an embedding, and is slow where it can train; with the kernels
 * of @hookline/backend-wasm it trains everything. Environment variables override the settings: `HOOKLINE_WASM=stock`
 * leaves the backend as tfjs has it, `HOOKLINE_WASM=no-fma` sets `fma: false`, `HOOKLINE_WASM_THREADS` sets `threads`,
 * and `HOOKLINE_WASM_NATIVE=0` sets `native: false`. Returns what to say about native kernels, where there are some or
 * they were asked for, and about threads, where they were asked for.
 */
export async function enableWasmTraining(settings: WasmSettings = {}): Promise<string | undefined> {
  const variant = variantFromEnvironment();
  if (variant === 'stock') return undefined;
  const options = variant ? { ...settings, fma: variant === 'fma' } : settings;
  const threads = threadsFromEnvironment();
  if (threads === undefined) return enable(options);
  try {
    return await enable({ ...options, threads });
  } catch (error) {
    if (!isNoThreads(error)) throw error;
    // Set from outside the program, and only faster: not a reason to refuse to train.
    warnUser(`HOOKLINE_WASM_THREADS has no effect: ${messageOf(error)}`);
    return enable(options);
  }
}

/** Whether an error says that the threads that were asked for are not available. */
export function isNoThreads(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'NO_THREADS';
}

async function enable(settings: WasmSettings): Promise<string | undefined> {
  const enabled = await enableTraining(settings);
  const notes = [...kernelNote(settings, enabled), ...threadNote(settings, enabled)];
  return notes.length > 0 ? notes.join(', ') : undefined;
}

function kernelNote(settings: WasmSettings, { native, whyNotNative }: Training): string[] {
  if (native !== undefined) return [`with native kernels (${native})`];
  return settings.native ? [`without native kernels: ${whyNotNative?.replace(/\.$/, '')}`] : [];
}

function threadNote(settings: WasmSettings, { threads, whyOneThread }: Training): string[] {
  if (settings.threads === undefined) return [];
  if (whyOneThread !== undefined) return [`with one thread: ${whyOneThread.replace(/\.$/, '')}`];
  return [threads === 1 ? 'with one thread' : `with ${threads} threads`];
}

const VARIANTS = ['stock', 'fma', 'no-fma'] as const;

function variantFromEnvironment(): (typeof VARIANTS)[number] | undefined {
  const text = environment('HOOKLINE_WASM')?.trim().toLowerCase();
  const known = VARIANTS.find((each) => each === text);
  if (text && !known)
    warnUser(`HOOKLINE_WASM has no effect: it is "${text}", expected ${VARIANTS.join(', ')}.`);
  return known;
}

function threadsFromEnvironment(): number | 'auto' | undefined {
  const text = environment('HOOKLINE_WASM_THREADS')?.trim().toLowerCase();
  if (!text) return undefined;
  return text === 'auto' ? 'auto' : Number(text);
}
