import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookContext, PhaseMark } from '@hookline/hook-api';
import { profileKey } from '@hookline/hook-api/helpers';
import { KernelWatch } from './kernel-watch.js';
import type { ProfilerRules } from './options.js';
import type { Profile } from './profile.js';
import { profileOf } from './profile-of.js';
import { type Collection, RuntimeWatch } from './runtime-watch.js';
import { Totals } from './totals.js';
import { Trace } from './trace.js';

/** One fit: adds up what the trainer marks, and reports at the end. */
export class ProfilerSession {
  readonly #totals = new Totals();
  readonly #trace = new Trace();
  readonly #runtime = new RuntimeWatch();
  readonly #kernels: KernelWatch | undefined;
  /** Steps that have begun in this fit. */
  #steps = 0;
  /** The step that is under way, as `ctx.state.step` counts it. */
  #step: number | undefined;
  /** What happened in that step, while it is traced. */
  #marks: PhaseMark[] = [];

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: ProfilerRules,
  ) {
    this.#kernels = rules.kernels ? new KernelWatch(ctx.state.backend) : undefined;
    ctx.shared.set(profileKey, () => this.#profile());
  }

  stepStarted(): void {
    this.#endStep();
    this.#steps++;
    this.#step = this.ctx.state.step;
    if (this.#kernels) this.#kernels.keepsCalls = this.#isTraced;
  }

  /** Undoes what it has set up. */
  async stop(): Promise<void> {
    this.#endStep();
    this.#kernels?.stop();
    await this.#runtime.stop();
  }

  /** Writes the files and says the verdict. A file that cannot be written costs a warning. */
  async report(): Promise<void> {
    const traced = await this.#writeTrace(this.#runtime.totals().collections);
    this.#collect();
    // What it took to write the trace counts; only the last file cannot know how long it takes.
    this.#totals.extendTo(performance.now());
    const profile = this.#profile();
    const files = [...(await this.#writeProfile(profile)), ...traced];
    const more = files.length > 0 ? ` More in ${files.join(' and ')} of ${this.ctx.run.dir}.` : '';
    this.ctx.logger.info(`${profile.verdict}${more}`);
  }

  get #isTraced(): boolean {
    const index = this.#steps - 1;
    // Without a folder there is no trace to write.
    const isWanted = this.ctx.run.dir !== undefined && index >= this.rules.skip;
    return isWanted && index < this.rules.skip + this.rules.steps;
  }

  #profile(): Profile {
    this.#collect();
    return profileOf(this.#totals, this.#steps, this.#runtime.totals(), this.#kernels?.totals);
  }

  #endStep(): void {
    this.#collect();
    const calls = this.#kernels?.takeCalls() ?? [];
    if (this.#step !== undefined && this.#isTraced) this.#trace.addStep(this.#step, this.#marks, calls);
    this.#step = undefined;
    this.#marks = [];
  }

  /** Takes what has happened since it was last asked. */
  #collect(): void {
    const marks = this.ctx.phases();
    for (const mark of marks) this.#totals.add(mark);
    if (this.#step !== undefined && this.#isTraced) this.#marks.push(...marks);
  }

  #writeTrace(collections: readonly Collection[]): Promise<string[]> {
    const { id } = this.ctx.run;
    return this.#trace.isEmpty
      ? Promise.resolve([])
      : this.#write('trace.json', this.#trace.toJson(id, collections));
  }

  #writeProfile(profile: Profile): Promise<string[]> {
    return this.#write('profile.json', `${JSON.stringify(profile, null, 2)}\n`);
  }

  /** The name of the file, if it was written. */
  async #write(name: string, text: string): Promise<string[]> {
    const { dir } = this.ctx.run;
    if (dir === undefined) return [];
    try {
      await writeFile(join(dir, name), text);
      return [name];
    } catch (err) {
      this.ctx.logger.warn({ err }, `${name} could not be written to ${dir}.`);
      return [];
    }
  }
}
