const ERROR_EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Starting the wasm module adds process listeners that throw every error again: the program's own `uncaughtException`
 * handler could not handle it any more, and every uncaught error would end in exit code 7 with a line of the wasm loader
 * on top. The backend does not need them, so they are removed.
 */
export async function withoutEmscriptenListeners<T>(start: () => T | Promise<T>): Promise<T> {
  // In a browser there are none.
  if (typeof process === 'undefined' || typeof process.rawListeners !== 'function') return start();
  const before = ERROR_EVENTS.map((event) => process.rawListeners(event));
  try {
    return await start();
  } finally {
    ERROR_EVENTS.forEach((event, i) => {
      for (const listener of process.rawListeners(event)) {
        const isNew = !before[i]!.includes(listener);
        if (isNew && isEmscripten(listener)) process.removeListener(event, listener as () => void);
      }
    });
  }
}

// Other code may add listeners while the module starts; the two of emscripten are recognised by their text.
function isEmscripten(listener: unknown): boolean {
  const text = String(listener).replace(/\s+/g, '');
  return text.includes('instanceofExitStatus') || /^function\((\w+)\)\{throw\1;?\}$/.test(text);
}
