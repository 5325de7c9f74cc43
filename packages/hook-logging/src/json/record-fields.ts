import type { LogRun } from '../session/log-backend.js';
import type { LogRecord, RecordOf } from '../session/log-record.js';
import type { Fields } from './finite-fields.js';

/** The fields of a line, beside those that every line has; undefined for events that have no line. */
export function fieldsOf(record: LogRecord, run: LogRun): Fields | undefined {
  const { select } = run;
  switch (record.event) {
    case 'start':
      return startFields(record, run);
    case 'batch':
      return batchFields(record, run);
    case 'epoch':
      return epochFields(record, run);
    case 'log':
      return { scope: record.scope, metrics: select(record.metrics) };
    case 'end': {
      const { status, stopReason = null, metrics } = record;
      return { status, stopReason, metrics: select(metrics) };
    }
    case 'warning':
      return { ...(record.hook !== undefined && { hook: record.hook }), message: record.message };
    case 'killed':
      return { signal: record.signal };
    case 'validation':
    case 'test':
      return { metrics: select(record.metrics) };
    default:
      return undefined;
  }
}

function startFields({ epochs, ...record }: RecordOf<'start'>, { ctx }: LogRun): Fields {
  const batchesPerEpoch = record.batchesPerEpoch ?? null;
  const { backend, device, modelParams: parameters } = ctx.state;
  const { seed, configHash, gitCommit } = ctx.run;
  return { epochs, batchesPerEpoch, parameters, backend, device, seed, configHash, gitCommit };
}

function epochFields(record: RecordOf<'epoch'>, { select }: LogRun): Fields {
  const { batches, cutShort, metrics, system } = record;
  return { batches, cutShort, metrics: select(metrics), system: select(system) };
}

function batchFields(record: RecordOf<'batch'>, { select }: LogRun): Fields {
  const { batch, loader, skipped, loss, avgLoss, metrics, lr, system } = record;
  const numbers = skipped ? {} : { loss, avgLoss, metrics: select(metrics) };
  return { batch, loader, skipped, ...numbers, lr, system: select(system) };
}
