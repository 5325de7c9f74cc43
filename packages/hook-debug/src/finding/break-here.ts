import type { AfterBackwardEvent, HookContext } from '@hookline/hook-api';
import type { Finding } from './finding.js';

/**
 * Pauses in the debugger, where `here` shows what was found. Set `here.goOn = true` in its console to let the run
 * continue with the bad values; otherwise it stops.
 */
export function breakHere(ctx: HookContext, event: AfterBackwardEvent, finding: Finding): 'stop' | 'warn' {
  const here = { finding, event, ctx, goOn: false };
  // biome-ignore lint/suspicious/noDebugger: this is what nan: 'break' asks for.
  debugger;
  return here.goOn ? 'warn' : 'stop';
}
