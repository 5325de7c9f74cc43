/** What text is written to: `process.stdout`, a file, or anything that has a `write`. */
export interface OutputStream {
  /** Calls `done` when the text is written, or with the error. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  on?(event: 'error', listener: () => void): unknown;
  removeListener?(event: 'error', listener: () => void): unknown;
}

/**
 * Writes text that may get lost: a reader that has gone (`| head`) or a full disk must not end the run, which is what a
 * stream does by default. Only the error of this very write is handled; other writes to the stream are not affected.
 */
export function writeOutput(
  stream: OutputStream,
  text: string,
  onFailure: (error: unknown) => void = () => {},
): void {
  try {
    stream.write(text, (error) => {
      if (!error) return;
      ignoreError(stream);
      onFailure(error);
    });
  } catch (error) {
    onFailure(error);
  }
}

const ignoring = new WeakSet<OutputStream>();

/**
 * A stream emits an error after it has called back, a file only once it is closed; nobody listens, and the process would
 * end. A write of `console` that fails in the same moment adds no listener of its own then, so this one stays until the
 * turn after the error.
 */
function ignoreError(stream: OutputStream): void {
  if (ignoring.has(stream)) return;
  ignoring.add(stream);
  const ignore = (): void => {
    setImmediate(() => {
      ignoring.delete(stream);
      stream.removeListener?.('error', ignore);
    }).unref();
  };
  stream.on?.('error', ignore);
}
