import { pathToFileURL } from 'node:url';
import util from 'node:util';
import { setGpuEnvironment } from './gpu-settings.js';

/** Imports the file of a native package: it registers its backend with the tfjs engine of this process. */
export async function importNative(file: string): Promise<void> {
  restoreRemovedUtilities();
  setGpuEnvironment();
  // While loading, TensorFlow logs which CPU instructions it uses. Warnings, such as a missing CUDA library, stay
  // visible.
  const givenLogLevel = process.env.TF_CPP_MIN_LOG_LEVEL;
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '1';
  const restoreConsole = muteRegistrationWarnings();
  try {
    await import(pathToFileURL(file).href);
  } finally {
    restoreConsole();
    if (givenLogLevel === undefined) delete process.env.TF_CPP_MIN_LOG_LEVEL;
  }
}

/** tfjs-node 4.22 calls two functions that Node 23 removed from `util`. */
function restoreRemovedUtilities(): void {
  const utilities = util as { isNullOrUndefined?: unknown; isArray?: unknown };
  utilities.isNullOrUndefined ??= (value: unknown) => value === null || value === undefined;
  utilities.isArray ??= Array.isArray;
}

/**
 * A native package brings its own tfjs. If that is a second copy, it registers the cpu backend and its kernels again on
 * the shared engine: harmless, but some 170 warnings. All other output passes.
 */
function muteRegistrationWarnings(): () => void {
  const { warn } = console;
  const muted = (...message: unknown[]): void => {
    if (!/already registered|has already been set/.test(String(message[0]))) warn.apply(console, message);
  };
  console.warn = muted;
  return () => {
    if (console.warn === muted) console.warn = warn;
  };
}
