import type { SharedMap } from '@hookline/hook-api';
import { terminalKey, writeOutput } from '@hookline/hook-api/helpers';
import type { LogStream } from '../logger.js';

/** Standard error, shared with whatever a hook of the current run draws there. */
export function terminalStream(shared: () => SharedMap | undefined): LogStream {
  const { stderr } = process;
  return {
    isTTY: stderr.isTTY,
    write: (text) => {
      const drawing = shared()?.get(terminalKey);
      if (drawing) drawing.above(() => writeOutput(stderr, text));
      else writeOutput(stderr, text);
    },
  };
}
