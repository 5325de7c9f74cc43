import type { HookContext } from '@hookline/hook-api';
import { type Histogram, leaveHistograms } from '@hookline/hook-api/helpers';
import type { DebugFinding } from './debug-check.js';
import type { LayerMetrics } from './monitor.js';
import type { TapManager } from './tap-manager.js';

/** Trouble that was told and has not ended, as `<hook> <condition> <path>`. */
export type Trouble = ReadonlySet<string>;

/** Logs what the monitors measured in this batch, and warns of new trouble. Returns the trouble there is. */
export function report(ctx: HookContext, taps: TapManager, before: Trouble): Trouble {
  const { step } = ctx.state;
  const isOfBatch = (seen: { step: number | undefined; training: boolean }) =>
    seen.training && seen.step === step;
  const hooks = taps.listHooks();
  const records = hooks
    .filter(({ kind }) => kind === 'monitor')
    .flatMap(({ id }) => taps.getLatestMetrics(id))
    .filter(isOfBatch);
  const values = Object.fromEntries(records.flatMap(entriesOf));
  if (records.length > 0) ctx.log(values);
  leaveHistograms(ctx.shared, histogramsOf(ctx, records));
  const findings = hooks
    .filter(({ kind }) => kind === 'debug')
    .flatMap(({ id }) => taps.getFindings(id))
    .filter(isOfBatch);
  warn(ctx, findings, before);
  return new Set(findings.map(keyOf));
}

function entriesOf({ path, values }: LayerMetrics): [string, number][] {
  return Object.entries(values).map(([metric, value]) => [`act/${path}/${metric}`, value]);
}

function histogramsOf({ state }: HookContext, records: readonly LayerMetrics[]): Histogram[] {
  return records.flatMap(({ path, histogram }) =>
    histogram ? [{ name: `act/${path}/histogram`, step: state.step + 1, ...histogram }] : [],
  );
}

/** Once for each place, until it is well again: what follows from the first trouble would fill the log. */
function warn({ logger }: HookContext, findings: readonly DebugFinding[], before: Trouble): void {
  const fresh = [...new Map(findings.map((finding) => [keyOf(finding), finding])).values()].filter(
    (finding) => !before.has(keyOf(finding)),
  );
  const [first, ...others] = fresh;
  if (!first) return;
  const more = others.length > 0 ? ` So do ${others.length} others that follow.` : '';
  const where = fresh.map(({ path, condition }) => ({ path, condition }));
  logger.warn({ step: (first.step ?? 0) + 1, found: where }, `${first.message}${more}`);
}

function keyOf({ id, condition, path }: DebugFinding): string {
  return `${id} ${condition} ${path}`;
}
