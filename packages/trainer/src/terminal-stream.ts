import { type SharedMap, sharedKey } from '@hookline/hook-api';
import type { LogStream } from './logger.js';

/** Left by a hook that draws on the terminal: runs `write` with the drawing out of the way. */
const TERMINAL = sharedKey<{ above(write: () => void): void }>('hookline.terminal');

/** Standard error, shared with whatever a hook of the current run draws there. */
export function terminalStream(shared: () => SharedMap | undefined): LogStream {
  const { stderr } = process;
  return {
    isTTY: stderr.isTTY,
    write: (text) => {
      const drawing = shared()?.get(TERMINAL);
      if (drawing) drawing.above(() => stderr.write(text));
      else stderr.write(text);
    },
  };
}
