import type { Metrics } from '@hookline/hook-api';
import type { FitResult } from '@hookline/trainer';

/** What a person wants to know when the run is over; the rest is in its report. */
export function summaryOf({ stopReason }: FitResult, test: Metrics, images: number): string {
  const accuracy = test['test/accuracy']!;
  return [
    '',
    `Test accuracy  ${(accuracy * 100).toFixed(1)} %: ${Math.round(accuracy * images)} of ${images} digits that it had never seen`,
    `Stopped        ${stopReason ?? 'all epochs are done'}`,
  ].join('\n');
}
