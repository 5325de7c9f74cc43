import type { HookCost, Metrics } from '@hookline/hook-api';
import type { FitResult } from '@hookline/trainer';

/** What a person wants to know when the run is over. */
export function summaryOf(
  { stopReason, hookCosts, runDir }: FitResult,
  test: Metrics,
  images: number,
): string {
  const accuracy = test['test/accuracy']!;
  return [
    '',
    `Test accuracy  ${(accuracy * 100).toFixed(1)} %: ${Math.round(accuracy * images)} of ${images} digits that it had never seen`,
    `Stopped        ${stopReason ?? 'all epochs are done'}`,
    `Run folder     ${runDir}`,
    '',
    ...costTable(hookCosts),
  ].join('\n');
}

function costTable(costs: readonly HookCost[]): string[] {
  const rows = costs.map(({ name, calls, milliseconds }) => [name, String(calls), milliseconds.toFixed(1)]);
  return [['Cost of hook', 'calls', 'ms'], ...rows].map(
    ([name, calls, ms]) => name!.padEnd(18) + calls!.padStart(7) + ms!.padStart(9),
  );
}
