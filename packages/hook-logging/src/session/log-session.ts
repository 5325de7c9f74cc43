import type {
  Batch,
  BatchEndEvent,
  EpochMetricsEvent,
  HookContext,
  LogEvent,
  Metrics,
  TrainEndEvent,
  TrainStartEvent,
} from '@hookline/hook-api';
import { histogramsSince, warningsKey } from '@hookline/hook-api/helpers';
import { meterOf, type RunMeter } from '../measure/run-meter.js';
import { GuardedBackend } from './guarded-backend.js';
import type { LatestFit } from './latest-fit.js';
import { learningRates } from './learning-rates.js';
import type { LogBackend } from './log-backend.js';
import type { BatchRecord, LogContent, LogPosition } from './log-record.js';
import type { MetricFilter } from './metric-filter.js';

/** One log of one run: makes records of what happens and hands them to the backend. */
export class LogSession {
  readonly #backend: GuardedBackend;
  readonly #meter: RunMeter;
  /** How many of the run's histograms the backend has been given. */
  #histogramsRead = 0;
  /** How many of the run's warnings it has been given. */
  #warningsRead = 0;
  /** A batch of the epoch has begun in this run. */
  #hasBatch = false;

  constructor(
    private readonly ctx: HookContext,
    backend: LogBackend,
    private readonly options: { every: number | false; metrics: MetricFilter | undefined },
    private readonly latestFit: LatestFit,
  ) {
    this.#meter = meterOf(ctx);
    this.#backend = new GuardedBackend(ctx, backend, options.metrics, (signal) =>
      this.#write({ event: 'killed', signal }),
    );
  }

  /** Asked before the event is built: a batch without a record reads nothing from the device. */
  get isBatchDue(): boolean {
    const { every } = this.options;
    return every !== false && this.#backend.isOn && (this.ctx.state.batchIndex + 1) % every === 0;
  }

  trainingStarted({ epochs, batchesPerEpoch }: TrainStartEvent): void {
    const { state } = this.ctx;
    this.#meter.start(state);
    this.#write({ event: 'start', epochs, batchesPerEpoch, resumed: state.step > 0 });
  }

  epochStarted(): void {
    this.#hasBatch = false;
    this.#meter.startEpoch(this.ctx.state);
    this.#write({ event: 'epoch-start' });
  }

  batchStarted(batch: Batch): void {
    this.#hasBatch = true;
    this.#meter.startBatch(this.ctx.state, batch);
  }

  batchEnded(event: BatchEndEvent): void {
    this.#write(this.#batchRecord(event));
  }

  logged({ scope, epoch, step, values }: LogEvent): void {
    const at = this.ctx.state.stage === 'fit' ? { epoch, step } : {};
    this.#write({ event: 'log', scope, metrics: values }, at);
    this.#writeHistograms();
  }

  validationStarted(): void {
    this.#meter.pause();
  }

  validated(metrics: Metrics): void {
    this.#meter.resume();
    this.#write({ event: 'validation', metrics });
  }

  epochEnded({ epoch, metrics }: EpochMetricsEvent): void {
    const { state } = this.ctx;
    const { seconds: epochSeconds, system } = this.#meter.epoch(state);
    // Those of the run that was resumed are in the metrics.
    const batches = this.#hasBatch || 'train/loss' in metrics ? state.batchIndex + 1 : 0;
    const cutShort = state.completedEpochs <= epoch;
    this.#write({ event: 'epoch', batches, cutShort, metrics, epochSeconds, system }, { epoch });
    this.#writeHistograms();
    this.#backend.flush();
  }

  tested(metrics: Metrics): void {
    this.#write({ event: 'test', metrics });
  }

  trainingEnded({ status, stopReason, metrics }: TrainEndEvent): void {
    this.#write({ event: 'end', status, stopReason, metrics });
  }

  failed(error: unknown): void {
    this.#write({ event: 'error', error });
    this.#backend.flush();
  }

  close(): Promise<void> {
    if (this.#backend.isOpen) this.#writeWarnings();
    return this.#backend.close();
  }

  #write(content: LogContent, at: Partial<LogPosition> = {}): void {
    this.#writeWarnings();
    this.#writeNow(content, at);
  }

  /** What was warned of since the last record. A log that is never opened is not opened for these. */
  #writeWarnings(): void {
    const warnings = this.ctx.shared.get(warningsKey) ?? [];
    while (this.#warningsRead < warnings.length) {
      const { hook, message } = warnings[this.#warningsRead++]!;
      this.#writeNow({ event: 'warning', hook, message });
    }
  }

  #writeNow(content: LogContent, at: Partial<LogPosition> = {}): void {
    const { stage, elapsedSeconds } = this.ctx.state;
    const seconds = Math.round(elapsedSeconds * 1000) / 1000;
    const position = { ...this.latestFit.position(this.ctx), ...at };
    this.#backend.write({ time: Date.now(), stage, ...position, seconds, ...content });
  }

  #writeHistograms(): void {
    if (!this.#backend.takesHistograms || !this.#backend.isOn) return;
    const { next, items: histograms } = histogramsSince(this.ctx.shared, this.#histogramsRead);
    this.#histogramsRead = next;
    if (histograms.length > 0) this.#write({ event: 'histograms', histograms });
  }

  #batchRecord(event: BatchEndEvent): BatchRecord {
    const { optimizers, avgLoss } = this.ctx.state;
    const { batchesPerSecond, system } = this.#meter.batch(this.ctx.state);
    const { batchIndex: batch, loaderName: loader, skipped, metrics } = event;
    const numbers = skipped ? {} : { loss: event.loss, avgLoss };
    const lr = learningRates(optimizers);
    return { event: 'batch', batch, loader, skipped, ...numbers, metrics, lr, batchesPerSecond, system };
  }
}
