const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Starting the wasm module adds process listeners that throw again whatever arrives: the program's own
 * `uncaughtException` handler could no longer save it, and every uncaught error would end in exit code 7 with
 * a line of the wasm loader on top. The backend never leaves through them, so they are taken off again.
 */
export async function withoutEmscriptenListeners<T>(start: () => Promise<T>): Promise<T> {
  const before = EVENTS.map((event) => process.rawListeners(event));
  try {
    return await start();
  } finally {
    EVENTS.forEach((event, i) => {
      for (const listener of process.rawListeners(event)) {
        const isNew = !before[i]!.includes(listener);
        if (isNew && isEmscripten(listener)) process.removeListener(event, listener as () => void);
      }
    });
  }
}

// Others may add listeners of their own while the module starts. These two are known by their text.
function isEmscripten(listener: unknown): boolean {
  const text = String(listener).replace(/\s+/g, '');
  return text.includes('instanceofExitStatus') || /^function\((\w+)\)\{throw\1;?\}$/.test(text);
}
