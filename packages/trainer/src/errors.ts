import { HooklineError } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';

/** An error of the trainer: what was wrong, where, what was expected, what to do. */
export function trainerError(code: TrainerErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

export type TrainerErrorCode =
  | 'BACKEND_UNAVAILABLE'
  | 'BACKEND_UNKNOWN'
  | 'BAD_BATCH'
  | 'BAD_CHECKPOINT'
  | 'BAD_CONFIG'
  | 'BAD_DATA'
  | 'BAD_LAUNCH'
  | 'BAD_LOSS'
  | 'BAD_METRIC'
  | 'BAD_MODEL'
  | 'BAD_OPTIONS'
  | 'BAD_TRANSFORM'
  | 'BUSY'
  | 'CHECKPOINT_MISMATCH'
  | 'CLI_USAGE'
  | 'COMMAND_MISSING'
  | 'CONFIG_MISSING'
  | 'DEVICE_ERROR'
  | 'DEVICE_LOST'
  | 'DISPOSED_TENSOR'
  | 'FOLDER_NOT_EMPTY'
  | 'FOLDER_NOT_WRITABLE'
  | 'HOOK_MISSING'
  | 'HOOK_STATE'
  | 'HOOK_TIMEOUT'
  /** Something that only the other host has: Node, or a browser. */
  | 'HOST'
  | 'IN_TAPE'
  | 'LOG_LEVEL_UNKNOWN'
  | 'METRIC_NAME'
  | 'METRIC_VALUE'
  | 'NO_CHECKPOINTS'
  | 'NO_PROJECT'
  | 'NON_FINITE_LOSS'
  | 'NOT_REPRODUCIBLE'
  | 'RANK_FAILED'
  | 'RANK_TIMEOUT'
  | 'RANKS_DIFFER'
  | 'RUN_MISSING'
  | 'RUN_REFUSED'
  | 'RUNS_FOLDER'
  | 'STOPPED'
  | 'STRATEGY_MISSING';

/** A hook did not finish: whatever event it is in, the run cannot go on. */
export function hookTimeoutError(hook: string, event: string, seconds: number): HooklineError {
  const error = trainerError(
    'HOOK_TIMEOUT',
    `Hook "${hook}" has not finished ${event} after ${seconds} s: its promise does not settle. If it has good reason to take this long, raise hookTimeout of the trainer, or timeout of the hook.`,
  );
  return Object.defineProperty(error, Symbol.for('hookline.fatal'), { value: true });
}

/** A hook wrote to what it may only read. */
export function readOnlyError(hook: string, what: string): TypeError {
  return new TypeError(
    `Hook "${hook}" cannot change ${what}: it is read-only. A hook changes training with the verbs of ctx, with transform* methods, and through the groups of ctx.state.optimizers.`,
  );
}

/** For calls whose result would be only a part of what was asked for. */
export function stoppedError(call: string, reason: string | undefined, then: string): HooklineError {
  return trainerError('STOPPED', `${call} was stopped: ${reason}. ${then}`);
}

/** What kind of thing was given where something else was expected: `undefined`, `5`, `a Date`, `a tensor of shape [2,3]`. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `the bigint ${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (isTensor(value)) return `a tensor of shape [${value.shape}]`;
  if (Array.isArray(value)) return 'a list';
  const name = value.constructor?.name;
  return name && name !== 'Object' ? `a ${name}` : 'an object';
}
