import type { HookKind } from './hook-kind.js';

export type HookSource = 'code' | 'plugin';

export interface HookInfo {
  name: string;
  /** The built-in whose place in the order the hook has; its own name unless it was added with another. */
  slot: string;
  source: HookSource;
  enabled: boolean;
  kinds: HookKind[];
}

export interface HookCost {
  name: string;
  calls: number;
  /** Estimated from a sample of the calls. */
  milliseconds: number;
}

export interface AddHookOptions {
  source?: HookSource | undefined;
  enabled?: boolean | undefined;
  /** The built-in whose place in the order the hook takes, for a second instance of it; default: the hook's name. */
  slot?: string | undefined;
}

export interface HookFailure {
  hook: string;
  error: unknown;
  /** The run must be reported as failed. */
  fatal: boolean;
}
