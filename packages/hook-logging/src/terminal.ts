import { type HookContext, type SharedKey, sharedKey } from '@hookline/hook-api';

/** Left by console-log for hooks that print too: this epoch's lines are taken care of. */
export interface ConsoleAnnouncement {
  /** Renewed every epoch, so that a console-log that was switched off falls silent here as well. */
  readonly epoch: number;
}

export const consoleKey: SharedKey<ConsoleAnnouncement> = sharedKey('hookline.console');

/** Left by whoever keeps a line at the bottom of the terminal, such as a progress bar. */
interface LiveTerminal {
  /** Takes the live line away, lets `write` print, and draws the line again below. */
  above(write: () => void): void;
}

// Keys are equal by name: the progress bar has the same one, and neither package imports the other.
const terminalKey: SharedKey<LiveTerminal> = sharedKey('hookline.terminal');

/** Writes above a progress bar when one is drawn. */
export function writeAboveBar(ctx: HookContext, write: () => void): void {
  const terminal = ctx.shared.get(terminalKey);
  if (terminal) terminal.above(write);
  else write();
}
