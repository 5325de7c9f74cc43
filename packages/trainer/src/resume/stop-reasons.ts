/** Why a run ended as it was told to, as people read it; a resume knows by it whether there is more to do. */
export const STOP_REASONS = {
  maxSteps: (steps: number): string => `reached maxSteps (${steps})`,
  maxSeconds: (seconds: number): string => `reached maxSeconds (${seconds})`,
} as const;

export function isStopReason(reason: string, limit: keyof typeof STOP_REASONS): boolean {
  return reason.startsWith(`reached ${limit} `);
}
