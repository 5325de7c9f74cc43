/**
 * What a run is doing. `data`: waiting for a batch. `transform`: `transform*` methods of hooks, and the check of the
 * batch. `read`: building payloads, which is where numbers are read from the device. `hooks`: `on*` methods.
 * `event-loop`: letting timers, signals and sockets of the process have their turn. `other`: what the trainer does
 * between all of these.
 */
export type RunPhase =
  | 'setup'
  | 'data'
  | 'transform'
  | 'forward'
  | 'backward'
  | 'metrics'
  | 'update'
  | 'read'
  | 'hooks'
  | 'validation'
  | 'checkpoint'
  | 'event-loop'
  | 'other';

/**
 * From when to when a run was in a phase, in milliseconds as `performance.now()` gives them. A phase that hooks interrupt
 * has several marks; none overlap, and each begins where the one before it ended.
 */
export interface PhaseMark {
  readonly phase: RunPhase;
  readonly start: number;
  readonly end: number;
  /** The hook that was called, and its method. */
  readonly hook?: string | undefined;
  readonly event?: string | undefined;
}
