import type { AfterBackwardEvent, HookContext } from '@hookline/hook-api';
import { currentFolder, relative } from '@hookline/host';
import { canBreak, HOW_TO_BREAK } from '#host';
import type { DebugRules } from '../options.js';
import { breakHere } from './break-here.js';
import { describeFinding, fieldsOf } from './describe-finding.js';
import type { Finding } from './finding.js';

/** Reports what was found and what happens to the run, and pauses in the debugger where that was asked for. */
export function reportFinding(
  ctx: HookContext,
  event: AfterBackwardEvent,
  finding: Finding,
  nan: DebugRules['nan'],
  bundle: string | undefined,
): 'stop' | 'warn' {
  const breaks = nan === 'break' && canBreak();
  const sentences = [describeFinding(finding), replaySentence(bundle), consequence(finding, nan, breaks)];
  const level = nan === 'warn' ? 'warn' : 'error';
  ctx.logger[level]({ ...fieldsOf(finding), ...(bundle && { bundle }) }, sentences.filter(Boolean).join(' '));
  if (breaks) return breakHere(ctx, event, finding);
  return nan === 'warn' ? 'warn' : 'stop';
}

function replaySentence(bundle: string | undefined): string | undefined {
  if (bundle === undefined) return undefined;
  const folder = relative(currentFolder(), bundle) || '.';
  return `Replay it: npx hookline replay ${folder} --model <file>#<export>.`;
}

function consequence(finding: Finding, nan: DebugRules['nan'], breaks: boolean): string {
  if (nan === 'warn')
    return "Training continues (nan: 'warn'); this is reported again only after values were finite in between.";
  if (breaks) return 'Pausing in the debugger.';
  const stop =
    finding.weights.length > 0
      ? 'The run stops.'
      : 'The run stops; this update is skipped, so the weights are as they were before the batch.';
  return nan === 'break' ? `${stop} No debugger is attached: ${HOW_TO_BREAK}.` : stop;
}
