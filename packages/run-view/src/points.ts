/** Points in the order of their steps, as columns: a million points are three arrays, not a million objects. */
export interface Points {
  readonly steps: Float64Array;
  /** From 0. */
  readonly epochs: Float64Array;
  readonly values: Float64Array;
}
