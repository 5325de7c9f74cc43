import type { Metrics } from '@hookline/hook-api';
import type { BatchRecord, LogRecord } from '../session/log-record.js';

/**
 * The numbers of a record as curves, where each name has one meaning: `train/loss` is the mean over an epoch, like
 * `val/loss`, and `batch/loss` that of a batch. Learning rates that another hook logs (`logged` has the latest value
 * of every metric) are left to that hook.
 */
export function seriesOf(record: LogRecord, logged: Metrics): Metrics {
  switch (record.event) {
    case 'batch':
      return { ...batchSeries(record, logged), ...record.system };
    case 'epoch':
      // The mean over a part of an epoch is not a point of a curve of epochs; its batches are in their own.
      return record.cutShort ? record.system : { ...record.metrics, ...record.system };
    case 'validation':
    case 'log':
    case 'test':
      return record.metrics;
    default:
      return {};
  }
}

function batchSeries({ metrics, lr }: BatchRecord, logged: Metrics): Metrics {
  const series: Record<string, number> = {};
  for (const [name, value] of Object.entries(metrics)) series[name.replace(/^train\//, 'batch/')] = value;
  for (const [name, value] of Object.entries(lr)) {
    if (!(`lr/${name}` in logged)) series[`lr/${name}`] = value;
  }
  return series;
}
