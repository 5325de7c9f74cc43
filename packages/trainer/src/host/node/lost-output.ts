type Stream = NodeJS.WriteStream;

let watching = 0;
const lost = new Set<Stream>();

function onError(this: Stream): void {
  lost.add(this);
}

/**
 * Until the returned function is called, a standard stream whose reader has gone, or whose disk is full, does not end the
 * process: what hooks, callbacks and the data print with `console.log` is output like any other. A stream that was lost
 * meanwhile stays so: what the program prints after its run must not turn that run into a failure.
 */
export function tolerateLostOutput(): () => void {
  if (watching++ === 0) for (const stream of soundStreams()) stream.on('error', onError);
  return () => {
    // An error of the last write comes a moment later.
    setImmediate(() => {
      if (--watching === 0) for (const stream of soundStreams()) stream.off('error', onError);
    });
  };
}

function soundStreams(): Stream[] {
  return [process.stdout, process.stderr].filter((stream) => !lost.has(stream));
}
