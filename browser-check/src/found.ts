import type { ModelName, Trained } from './training.js';

/** What a page finds out and Node judges. */
export interface Found {
  where: 'a page' | 'a worker';
  /** Whether the browser allows threads. */
  isolated: boolean;
  /** The active one after `register` was imported. */
  backend: string;
  fma: boolean;
  /** As `register` sets it up. */
  fast: Record<ModelName, Trained>;
  /** With `fma: false`. */
  exact: Record<ModelName, Trained>;
  onWasm: Record<ModelName, number[]>;
  onCpu: Record<ModelName, number[]>;
  fromFile: number[];
  tapped: string[];
  hookKinds: readonly string[];
  /** Of the model that Node trained and exported. */
  predictions: number[];
}
