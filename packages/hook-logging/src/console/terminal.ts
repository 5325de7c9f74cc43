import type { HookContext } from '@hookline/hook-api';
import { terminalKey } from '@hookline/hook-api/helpers';

/** Writes above a progress bar when one is drawn. */
export function writeAboveBar(ctx: HookContext, write: () => void): void {
  const terminal = ctx.shared.get(terminalKey);
  if (terminal) terminal.above(write);
  else write();
}
