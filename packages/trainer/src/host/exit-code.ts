/** What a process that ends by a signal reports: 128 and the signal's number. */
export const EXIT_CODES: Record<string, number> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** The exit code of a stop reason: 0, unless it was a signal. */
export function exitCodeOf(stopReason: string | undefined): number {
  return EXIT_CODES[stopReason ?? ''] ?? 0;
}
