import type { BatchEndEvent, HookContext, Metrics } from '@hookline/hook-api';
import { messageOf, profileKey, runHooksKey, writeOutput } from '@hookline/hook-api/helpers';
import { join, readFile, rm, writeFile } from '@hookline/host';
import { type RunView, readRun } from '@hookline/run-view';
import { ConfusionCounter, isClassifierLoss } from './collect/confusion-counter.js';
import { LinesOfEvents } from './collect/lines-of-events.js';
import type { ReportRules } from './options.js';
import { endingText } from './terminal/ending-text.js';
import { reportFileOf, writePage } from './write-report.js';

/** One run: collects what its log does not hold, and writes the report when it is over. */
export class ReportSession {
  readonly lines: LinesOfEvents;
  #loss: unknown;
  #counter: ConfusionCounter | undefined;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: ReportRules,
  ) {
    this.lines = new LinesOfEvents(ctx);
  }

  /** Learns from the record of the run what is minimised. */
  async open(): Promise<void> {
    const { state, run } = this.ctx;
    if (state.stage === 'fit') this.#loss = await lossOf(run.dir);
  }

  get wantsOutputs(): boolean {
    return this.#counter !== undefined && !this.#counter.isFull && this.ctx.state.status === 'validating';
  }

  validationStarted(): void {
    if (isClassifierLoss(this.#loss)) this.#counter = new ConfusionCounter(this.#loss, this.ctx.state.epoch);
  }

  async validated(event: BatchEndEvent): Promise<void> {
    await this.#counter!.add(event);
  }

  validationEnded(metrics: Metrics): void {
    this.lines.measured('validation', metrics);
  }

  /** A report that cannot be written costs a warning, never the run. */
  async close(): Promise<void> {
    const { state, run } = this.ctx;
    const { stage } = state;
    // A test or a validation after the fit belongs to the same run: its page is made again.
    if (stage !== 'fit' && stage !== 'test' && stage !== 'validate') return;
    this.lines.close();
    try {
      if (run.dir !== undefined) await this.#saveConfusion(run.dir);
      const view = await this.#view();
      // A validation without a fit has no curves to show.
      if (view.epochs.length === 0 && view.series.size === 0) return;
      if (run.dir !== undefined) await writePage(run.dir, view);
      if (stage === 'fit') this.#print(view);
    } catch (error) {
      this.ctx.logger.warn(
        `The report could not be written: ${messageOf(error)}. The run is not affected; hookline report ${run.dir} makes it later.`,
      );
    }
  }

  /** The record of the run is completed after the hooks are torn down: what it will say is known here already. */
  async #view(): Promise<RunView> {
    const { run, shared, state } = this.ctx;
    // After a test the record has the costs of the fit, which is what the page is about.
    const isFit = state.stage === 'fit';
    const view = await readRun(run.dir ?? '', { fallback: this.lines.builder });
    const costs = isFit ? shared.get(runHooksKey)?.costs() : undefined;
    const costOf = new Map(costs?.map((cost) => [cost.name, cost]));
    const ended = state.status === 'error' || state.status === 'stopped' ? state.status : 'completed';
    return {
      ...view,
      id: run.id,
      status: view.status === 'running' || view.status === 'unknown' ? ended : view.status,
      hooks: view.hooks.map((hook) => ({ ...hook, ...costOf.get(hook.name) })),
      // Its file is written last, when this hook has been torn down as well.
      profile: (isFit ? shared.get(profileKey)?.() : undefined) ?? view.profile,
    };
  }

  /** For reports that are made later: the log does not hold it. */
  async #saveConfusion(folder: string): Promise<void> {
    const confusion = this.#counter?.result();
    const file = join(folder, 'confusion.json');
    if (confusion) await writeFile(file, `${JSON.stringify(confusion)}\n`);
    else if (this.ctx.state.stage === 'fit') await rm(file, { force: true });
  }

  #print(view: RunView): void {
    const { print } = this.rules;
    if (print === false) return;
    const { dir } = this.ctx.run;
    writeOutput(print, endingText(view, dir === undefined ? undefined : reportFileOf(dir)));
  }
}

/** As the record of the run has it; undefined where it has none, or the loss is a function. */
async function lossOf(folder: string | undefined): Promise<unknown> {
  if (folder === undefined) return undefined;
  try {
    const record = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')) as {
      config?: { loss?: unknown };
    };
    return record.config?.loss;
  } catch {
    return undefined;
  }
}
