import { CLASS_LOSSES, type ClassLossName } from './class-losses.js';
import type { LossFunction } from './loss-function.js';
import { REGRESSION_LOSSES, type RegressionLossName } from './regression-losses.js';

export type LossName = RegressionLossName | ClassLossName;

/** Losses by name. */
export const LOSSES: Record<LossName, LossFunction> = { ...REGRESSION_LOSSES, ...CLASS_LOSSES };
