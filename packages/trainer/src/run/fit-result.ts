import type { HookCost, Metrics, RunStatus } from '@hookline/hook-api';
import type { BestEpoch } from '@hookline/hook-api/helpers';
import { exitCodeOf } from '#host';
import type { Ending } from './ending.js';
import type { Run } from './run.js';

export interface FitResult {
  status: RunStatus;
  /** Why the run ended before its last epoch. */
  stopReason: string | undefined;
  /** Optimizer steps of this fit; 0 when a run that was resumed had nothing left to train. */
  steps: number;
  /** The metrics of each epoch. */
  history: readonly Metrics[];
  /**
   * The latest value of what was measured and of what your own hooks logged. What built-in hooks log about the run, such as
   * `grad/*` and `lr/*`, is in the logs.
   */
  metrics: Metrics;
  /** The epoch with the lowest validation loss, or training loss where there is no validation; the first one is 1. */
  best: BestEpoch | undefined;
  /** Empty when the run wrote nothing, as with `runsDir: false`. */
  runDir: string;
  hookCosts: readonly HookCost[];
  /** Why a hook counts the run as failed, though it has ended without an error. */
  failure: string | undefined;
  /** 0; 1 when a hook counts the run as failed; 128 and the number of the signal that ended it. */
  exitCode: number;
  /** The number of this process among those that trained together; 0 is the main rank. Absent when it trained alone. */
  rank?: number;
}

/** Of a run that is over, hooks and all. */
export function fitResult(run: Run, hookCosts: readonly HookCost[]): FitResult {
  return {
    status: run.state.status,
    stopReason: run.ending.stopReason,
    steps: run.state.step - run.firstStep,
    history: run.history,
    metrics: run.results,
    best: run.reportedBest,
    runDir: run.parts.info.dir ?? '',
    hookCosts,
    failure: run.ending.failure,
    exitCode: runExitCode(run.ending),
    ...(run.world && { rank: run.world.rank }),
  };
}

/** A signal comes first: who sent it knows what to expect. */
export function runExitCode({ stopReason, failure }: Pick<Ending, 'stopReason' | 'failure'>): number {
  return exitCodeOf(stopReason) || (failure === undefined ? 0 : 1);
}
