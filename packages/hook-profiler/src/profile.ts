export interface Share {
  readonly name: string;
  readonly seconds: number;
  /** Of `seconds` of the whole profile, from 0 to 1. */
  readonly share: number;
}

/** Something that takes a considerable part of the time, and what to do about it. */
export interface Finding extends Share {
  /** Whether the model can be trained without it: the passes and the update are work, the rest is not. */
  readonly isOverhead: boolean;
  readonly text: string;
  readonly advice: string;
}

/** `profile.json`. */
export interface Profile {
  readonly version: 1;
  readonly verdict: string;
  /** The time from the call of `fit()` to the end of the last teardown; the phases add up to it. */
  readonly seconds: number;
  readonly steps: number;
  /** The longest first, as all lists here. */
  readonly phases: readonly Share[];
  readonly hooks: readonly (Share & { readonly events: Readonly<Record<string, number>> })[];
  readonly findings: readonly Finding[];
  /** These run within the phases. */
  readonly kernels?: readonly (Share & { readonly calls: number })[] | undefined;
  readonly garbageCollection: Share & { readonly count: number; readonly longestMs: number };
  /** How late Node gets to what waits for the event loop. */
  readonly eventLoopDelayMs: { readonly mean: number; readonly p99: number; readonly max: number };
}
