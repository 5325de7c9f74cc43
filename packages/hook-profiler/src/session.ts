import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookContext } from '@hookline/hook-api';
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

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: ProfilerRules,
  ) {
    this.#kernels = rules.kernels ? new KernelWatch(ctx.state.backend) : undefined;
  }

  stepStarted(): void {
    this.#collect();
    this.#steps++;
    this.#step = this.ctx.state.step;
    if (this.#kernels) this.#kernels.keepsCalls = this.#isTraced;
  }

  /** Undoes what it has set up, whatever becomes of the files. */
  async close(): Promise<void> {
    this.#collect();
    this.#kernels?.stop();
    const runtime = await this.#runtime.stop();
    const profile = profileOf(this.#totals, this.#steps, runtime, this.#kernels?.totals);
    const files = await this.#write(profile, runtime.collections);
    const more = files.length > 0 ? ` More in ${files.join(' and ')} of ${this.ctx.run.dir}.` : '';
    this.ctx.logger.info(`${profile.verdict}${more}`);
  }

  get #isTraced(): boolean {
    const index = this.#steps - 1;
    return index >= this.rules.skip && index < this.rules.skip + this.rules.steps;
  }

  /** Takes what has happened since the last step began. */
  #collect(): void {
    const marks = this.ctx.phases();
    for (const mark of marks) this.#totals.add(mark);
    const calls = this.#kernels?.takeCalls() ?? [];
    if (this.#step !== undefined && this.#isTraced) this.#trace.addStep(this.#step, marks, calls);
  }

  async #write(profile: Profile, collections: readonly Collection[]): Promise<string[]> {
    const { dir, id } = this.ctx.run;
    if (dir === undefined) return [];
    const contents: Record<string, string> = { 'profile.json': `${JSON.stringify(profile, null, 2)}\n` };
    if (!this.#trace.isEmpty) contents['trace.json'] = this.#trace.toJson(id, collections);
    const written: string[] = [];
    for (const [name, text] of Object.entries(contents)) {
      try {
        await writeFile(join(dir, name), text);
        written.push(name);
      } catch (err) {
        this.ctx.logger.warn({ err }, `${name} could not be written to ${dir}.`);
      }
    }
    return written;
  }
}
