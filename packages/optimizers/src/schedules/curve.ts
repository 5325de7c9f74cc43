/**
 * A schedule as a formula: the factor on the learning rate, by how many steps or epochs the schedule has run.
 * Position 0 is its first step; it is never asked beyond its length.
 */
export type Curve = (position: number) => number;
