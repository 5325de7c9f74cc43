import type { HookContext } from '@hookline/hook-api';
import { type Histogram, leaveHistograms } from '@hookline/hook-api/helpers';
import type { LayerMetrics } from './taps/monitor.js';
import type { TapManager } from './taps/tap-manager.js';

/** Logs what the monitors measured in this step. */
export function logMetrics(ctx: HookContext, taps: TapManager): void {
  const { step } = ctx.state;
  const records = taps
    .listHooks()
    .filter(({ kind }) => kind === 'monitor')
    .flatMap(({ id }) => taps.getLatestMetrics(id))
    .filter((seen) => seen.training && seen.step === step);
  // A second instance, which has another name, logs under that name: series of one name would overwrite each other.
  const prefix = ctx.hook === 'activations' ? 'act' : ctx.hook;
  if (records.length > 0) ctx.log(Object.fromEntries(records.flatMap((each) => entriesOf(prefix, each))));
  leaveHistograms(ctx.shared, histogramsOf(prefix, step + 1, records));
}

function entriesOf(prefix: string, { path, values }: LayerMetrics): [string, number][] {
  return Object.entries(values).map(([metric, value]) => [`${prefix}/${path}/${metric}`, value]);
}

function histogramsOf(prefix: string, step: number, records: readonly LayerMetrics[]): Histogram[] {
  return records.flatMap(({ path, histogram }) =>
    histogram ? [{ name: `${prefix}/${path}/histogram`, step, ...histogram }] : [],
  );
}
