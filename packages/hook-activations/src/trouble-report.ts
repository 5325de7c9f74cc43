import type { HookContext } from '@hookline/hook-api';
import type { DebugFinding } from './taps/debug-check.js';
import type { TapManager } from './taps/tap-manager.js';

/** Which findings there are, as `<tap hook> <condition> <path>`. */
type Findings = ReadonlySet<string>;

const NO_FINDINGS: Findings = new Set();

/** Warns of what debug hooks find in a run: once for each place until it is well again, in each stage. */
export class TroubleReport {
  /** What was reported and has not ended. */
  readonly #reported = new Map<HookContext['state']['status'], Findings>();
  #lastPass = -1;

  /** Of what was found since the last time. */
  warn({ state, logger }: HookContext, taps: TapManager): void {
    const found = taps
      .listHooks()
      .filter(({ kind }) => kind === 'debug')
      .flatMap(({ id }) => taps.getFindings(id))
      .filter(({ pass }) => pass > this.#lastPass);
    const before = this.#reported.get(state.status) ?? NO_FINDINGS;
    const byKey = new Map(found.map((finding) => [keyOf(finding), finding]));
    this.#reported.set(state.status, new Set(byKey.keys()));
    this.#lastPass = found.reduce((last, { pass }) => Math.max(last, pass), this.#lastPass);
    // Everything that follows from the first trouble would fill the log.
    const [first, ...others] = [...byKey].flatMap(([key, finding]) => (before.has(key) ? [] : [finding]));
    if (!first) return;
    const more = others.length > 0 ? ` ${others.length} more were found in the same batch.` : '';
    const where = [first, ...others].map(({ path, condition }) => ({ path, condition }));
    logger.warn({ step: (first.step ?? 0) + 1, found: where }, `${first.message}${more}`);
  }
}

function keyOf({ id, condition, path }: DebugFinding): string {
  return `${id} ${condition} ${path}`;
}
