import type { HookContext } from '@hookline/hook-api';
import { type Histogram, leaveHistograms } from '@hookline/hook-api/helpers';
import type { DebugFinding } from './taps/debug-check.js';
import type { LayerMetrics } from './taps/monitor.js';
import type { TapManager } from './taps/tap-manager.js';

/** Which findings there are, as `<tap hook> <condition> <path>`. */
export type Findings = ReadonlySet<string>;

export const NO_FINDINGS: Findings = new Set();

/** Logs what the monitors measured in this batch, and warns about what is new since `before`. Returns what there is. */
export function report(ctx: HookContext, taps: TapManager, before: Findings): Findings {
  const { step } = ctx.state;
  const isOfBatch = (seen: { step: number | undefined; training: boolean }) =>
    seen.training && seen.step === step;
  const hooks = taps.listHooks();
  const records = hooks
    .filter(({ kind }) => kind === 'monitor')
    .flatMap(({ id }) => taps.getLatestMetrics(id))
    .filter(isOfBatch);
  // A second instance, which has another name, logs under that name: series of one name would overwrite each other.
  const prefix = ctx.hook === 'activations' ? 'act' : ctx.hook;
  if (records.length > 0) ctx.log(Object.fromEntries(records.flatMap((each) => entriesOf(prefix, each))));
  leaveHistograms(ctx.shared, histogramsOf(prefix, step + 1, records));
  const findings = hooks
    .filter(({ kind }) => kind === 'debug')
    .flatMap(({ id }) => taps.getFindings(id))
    .filter(isOfBatch);
  warn(ctx, findings, before);
  return new Set(findings.map(keyOf));
}

function entriesOf(prefix: string, { path, values }: LayerMetrics): [string, number][] {
  return Object.entries(values).map(([metric, value]) => [`${prefix}/${path}/${metric}`, value]);
}

function histogramsOf(prefix: string, step: number, records: readonly LayerMetrics[]): Histogram[] {
  return records.flatMap(({ path, histogram }) =>
    histogram ? [{ name: `${prefix}/${path}/histogram`, step, ...histogram }] : [],
  );
}

/** Once for each place until it is well again: everything that follows from the first trouble would fill the log. */
function warn({ logger }: HookContext, findings: readonly DebugFinding[], before: Findings): void {
  const fresh = [...new Map(findings.map((finding) => [keyOf(finding), finding])).values()].filter(
    (finding) => !before.has(keyOf(finding)),
  );
  const [first, ...others] = fresh;
  if (!first) return;
  const more = others.length > 0 ? ` ${others.length} more were found in the same batch.` : '';
  const where = fresh.map(({ path, condition }) => ({ path, condition }));
  logger.warn({ step: (first.step ?? 0) + 1, found: where }, `${first.message}${more}`);
}

function keyOf({ id, condition, path }: DebugFinding): string {
  return `${id} ${condition} ${path}`;
}
