import { type HookContext, type SharedKey, sharedKey } from '@hookline/hook-api';
import { type LiveTerminal, terminalKey } from '@hookline/hook-api/helpers';
import { environmentVariables } from '@hookline/host';
import type { ProgressRules } from '../options.js';
import { barDisplay, type Display, NO_DISPLAY, plainDisplay } from './display.js';
import { breakingOf, canRedraw, type ProgressStream } from './terminal.js';

/** The streams of a run that somebody shows progress on, with the name of the hook. */
const streamsKey: SharedKey<Map<ProgressStream, string>> = sharedKey('hookline.progress-streams');

export interface RunDisplay {
  readonly display: Display;
  /** Takes the bar away, and makes room for another on the stream. */
  close(): void;
}

/** A bar where the stream can show one, plain lines elsewhere. Two hooks on one stream would overwrite each other. */
export function openDisplay(ctx: HookContext, { stream, refreshMs }: ProgressRules): RunDisplay {
  const streams = ctx.shared.get(streamsKey) ?? new Map<ProgressStream, string>();
  const other = streams.get(stream);
  if (other !== undefined) {
    ctx.logger.warn(
      `${ctx.hook} shows nothing: "${other}" uses the same stream. Give one of them another "stream".`,
    );
    return { display: NO_DISPLAY, close: () => {} };
  }
  ctx.shared.set(streamsKey, streams.set(stream, ctx.hook));
  const env = environmentVariables();
  const display = canRedraw(stream, env)
    ? barDisplay(stream, refreshMs, breakingOf(env))
    : plainDisplay(stream);
  const withdraw = display.terminal ? offerTerminal(ctx, display.terminal) : () => {};
  return {
    display,
    close() {
      streams.delete(stream);
      withdraw();
      display.end();
    },
  };
}

/** For hooks that print; with bars on two terminals they print above both. Returns what takes the offer back. */
function offerTerminal({ shared }: HookContext, own: LiveTerminal): () => void {
  const others = shared.get(terminalKey);
  const terminal: LiveTerminal = others ? { above: (write) => others.above(() => own.above(write)) } : own;
  shared.set(terminalKey, terminal);
  return () => {
    if (shared.get(terminalKey) !== terminal) return;
    if (others) shared.set(terminalKey, others);
    else shared.delete(terminalKey);
  };
}
