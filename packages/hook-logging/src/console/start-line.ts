import type { HookContext } from '@hookline/hook-api';
import type { RecordOf } from '../session/log-record.js';
import { counted, formatCount } from './format.js';

/** The parts of the first line of a run: what is trained, on what, for how long, and from where. */
export function startLine(
  { epochs, batchesPerEpoch, resumed, epoch, step }: RecordOf<'start'>,
  { run, state }: HookContext,
): string[] {
  const batches = batchesPerEpoch === undefined ? '' : ` of ${counted(batchesPerEpoch, 'batch')}`;
  return [
    `run ${run.id}`,
    `backend ${state.backend}`,
    `${formatCount(state.modelParams)} parameters`,
    `${counted(epochs, 'epoch')}${batches}`,
    resumed ? (epoch < epochs ? `from epoch ${epoch + 1}, step ${step}` : 'nothing left to train') : '',
  ];
}
