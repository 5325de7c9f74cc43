import { type HookContext, type SharedKey, sharedKey } from '@hookline/hook-api';

/** What the bar is drawn on: `process.stderr`, or anything alike. */
export interface ProgressStream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/** Left by progress while it draws a bar, for hooks that print lines of their own. */
export interface LiveTerminal {
  /** Takes the bar away, lets `write` print, and draws the bar again below. */
  above(write: () => void): void;
}

export const terminalKey: SharedKey<LiveTerminal> = sharedKey('hookline.terminal');

// Keys are equal by name: console-log has the same one, and neither package imports the other.
const consoleKey: SharedKey<{ readonly epoch: number }> = sharedKey('hookline.console');

/** Whether console-log prints the lines of this epoch; nobody wants them twice. */
export function isConsolePrinting(ctx: HookContext, epoch: number): boolean {
  return ctx.shared.get(consoleKey)?.epoch === epoch;
}

/** Whether a line can be drawn over and over. Build servers may pretend to be terminals, but keep every frame. */
export function canRedraw(stream: ProgressStream, env: NodeJS.ProcessEnv): boolean {
  const onBuildServer = env.CI !== undefined && !['', '0', 'false'].includes(env.CI);
  return stream.isTTY === true && env.TERM !== 'dumb' && !onBuildServer;
}
