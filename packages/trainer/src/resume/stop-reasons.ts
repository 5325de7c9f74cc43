/** Why a run ended at its limit, as people read it. A resume tells by it whether there is more to do. */
export const STOP_REASONS = {
  maxSteps: (steps: number): string => `reached maxSteps (${steps})`,
  maxSeconds: (seconds: number): string => `reached maxSeconds (${seconds})`,
} as const;

export function isStopReason(reason: string, limit: keyof typeof STOP_REASONS): boolean {
  return reason.startsWith(`reached ${limit} `);
}
