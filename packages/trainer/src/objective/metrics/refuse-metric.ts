import { trainerError } from '../../errors.js';
import { allOf, type LossOption } from '../losses/output-losses.js';
import type { Metric } from './metric.js';
import { meaningOf } from './output-meaning.js';

/** Throws for a metric that has no meaning for the outputs of this loss. */
export function refuseMeaningless(metric: Metric, loss: unknown): void {
  const reason = metric.refuses?.(meaningOf(loss));
  if (reason === undefined) return;
  throw trainerError(
    'BAD_METRIC',
    `Metric "${metric.name}" has no meaning with the loss "${String(loss)}": ${reason}`,
  );
}

/** The same before the names of outputs are known: where it is sure which loss the metrics of `output` go with. */
export function refuseWithLosses(metrics: readonly Metric[], losses: LossOption, output?: string): void {
  const isForAll = typeof losses === 'string' || typeof losses === 'function';
  if (output !== undefined && Array.isArray(losses)) return;
  const own =
    output === undefined || isForAll
      ? allOf(losses)
      : [(losses as Readonly<Record<string, unknown>>)[output]];
  for (const metric of metrics) for (const loss of own) refuseMeaningless(metric, loss);
}
