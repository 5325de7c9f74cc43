import { HooklineError } from '@hookline/hook-api';

export type WorkerErrorCode =
  | 'NOT_A_TRAINING'
  | 'NOT_HERE'
  | 'WORKER_DIED'
  | 'WORKER_HOOK'
  | 'WORKER_OPTIONS'
  | 'WORKER_SETTINGS';

/** An error about training in a worker: what was wrong, where, what was expected, what to do. */
export function workerError(code: WorkerErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

/** The worker is gone, and with it everything that was not saved. */
export function workerDied(why: string, step: number | undefined, cause?: unknown): HooklineError {
  const place = step === undefined ? 'before training began' : `after step ${step}, as far as is known here`;
  const fix =
    step === undefined
      ? 'Expected a module that calls defineTraining() of @hookline/worker/training.'
      : "Checkpoints that were saved are safe. To continue from the last one, call trainInWorker() again: it does so if the training's fit has resume: 'auto' and hook-checkpoint is on.";
  return workerError('WORKER_DIED', `The worker died ${place}: ${why}. ${fix}`, cause);
}

/** A hook on this side asks for something that exists only where the training is. */
export function notHere(hook: string, what: string, instead: string): HooklineError {
  return workerError('NOT_HERE', `Hook "${hook}" asks for ${what}, which is in the worker. ${instead}`);
}

/** A hook on this side reads a field of an event that has stayed in the worker. */
export function withheld(event: string, field: string): HooklineError {
  const instead =
    field === 'snapshot'
      ? 'Pass the hook to the Trainer in the training module.'
      : `Ask for copies: trainInWorker(..., { tensors: ["${field}"] }).`;
  return workerError(
    'NOT_HERE',
    `"${field}" of ${event} holds tensors, which stay in the worker. ${instead}`,
  );
}
