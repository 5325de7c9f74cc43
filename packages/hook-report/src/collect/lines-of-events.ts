import type {
  BatchEndEvent,
  EpochMetricsEvent,
  HookContext,
  LogEvent,
  Metrics,
  TrainEndEvent,
  TrainStartEvent,
} from '@hookline/hook-api';
import { groupNames, histogramsSince, messageOf, warningsKey } from '@hookline/hook-api/helpers';
import { ViewBuilder } from '@hookline/run-view';

/** As often as json-log by default: where both are on, the device is read once for both. */
const EVERY = 100;

/** Makes the lines that json-log would write of what happens, for a run that has no log. */
export class LinesOfEvents {
  readonly builder: ViewBuilder = new ViewBuilder();
  #last: { step: number; seconds: number } | undefined;

  constructor(private readonly ctx: HookContext) {}

  /** Asked before the event is built: a batch that is not due reads nothing from the device. */
  get isBatchDue(): boolean {
    return (this.ctx.state.batchIndex + 1) % EVERY === 0;
  }

  started({ epochs, batchesPerEpoch }: TrainStartEvent): void {
    this.#add('start', { epochs, batchesPerEpoch });
  }

  batchEnded(event: BatchEndEvent): void {
    const { optimizers, step, elapsedSeconds: seconds } = this.ctx.state;
    const names = groupNames(optimizers).flat();
    const groups = optimizers.flatMap((optimizer) => optimizer.groups);
    const lr = Object.fromEntries(groups.map(({ lr, lrScale }, at) => [names[at]!, lr * lrScale]));
    const since = this.#last;
    this.#last = { step, seconds };
    const speed =
      since && seconds > since.seconds ? (step - since.step) / (seconds - since.seconds) : undefined;
    const system = speed === undefined ? {} : { 'speed/steps-per-second': speed };
    this.#add('batch', { metrics: event.metrics, lr, system });
  }

  measured(event: 'validation' | 'test', metrics: Metrics): void {
    this.#add(event, { metrics });
  }

  epochEnded({ epoch, metrics }: EpochMetricsEvent): void {
    const cutShort = this.ctx.state.completedEpochs <= epoch;
    this.#add('epoch', { epoch, metrics, cutShort });
  }

  logged({ scope, epoch, step, values }: LogEvent): void {
    this.#add('log', { scope, epoch, step, metrics: values });
  }

  ended({ status, stopReason, metrics }: TrainEndEvent): void {
    this.#add('end', { status, stopReason, metrics });
  }

  failed(error: unknown): void {
    this.#add('error', { error: { message: messageOf(error) } });
  }

  /** What hooks have left for loggers. */
  close(): void {
    const { shared } = this.ctx;
    for (const histogram of histogramsSince(shared, 0).items) this.#add('histogram', { ...histogram });
    for (const warning of shared.get(warningsKey) ?? []) this.#add('warning', { ...warning });
  }

  #add(event: string, fields: object): void {
    const { epoch, step, elapsedSeconds: seconds } = this.ctx.state;
    this.builder.add({ event, epoch, step, seconds, ...fields });
  }
}
