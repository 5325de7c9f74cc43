import type { HookContext } from '@hookline/hook-api';
import { consoleKey, type OutputStream } from '@hookline/hook-api/helpers';

/** What the bar is drawn on: `process.stderr`, or anything like it. */
export interface ProgressStream extends OutputStream {
  isTTY?: boolean;
  columns?: number;
  on?(event: 'resize' | 'error', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether console-log prints the lines of this epoch; nobody wants them twice. */
export function isConsolePrinting(ctx: HookContext, epoch: number): boolean {
  return ctx.shared.get(consoleKey)?.epoch === epoch;
}

/** Whether a line can be drawn over and over. Build servers may claim to be terminals, but keep every frame. */
export function canRedraw(stream: ProgressStream, env: Environment): boolean {
  const onBuildServer = env.CI !== undefined && !['', '0', 'false'].includes(env.CI);
  return stream.isTTY === true && env.TERM !== 'dumb' && !onBuildServer;
}

/** What a terminal that becomes narrower does with lines that no longer fit: breaks them into several rows, or not. */
export type Breaking = 'all' | 'above-cursor' | 'none';

/**
 * Asked before rows are erased. Where it is not known, too few are erased rather than too many: the rest of an
 * old bar on the screen is ugly, but a line that somebody else printed would be lost.
 */
export function breakingOf(env: Environment): Breaking {
  if (env.TMUX || env.VTE_VERSION || env.TERM_PROGRAM === 'iTerm.app') return 'all';
  return env.TERM_PROGRAM === 'vscode' ? 'above-cursor' : 'none';
}
