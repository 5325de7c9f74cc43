import { fieldsOf, listOf, numberOf, textOf } from './log-line.js';

/** `profile.json`: where the time of the run went. */
export interface Profile {
  readonly verdict: string;
  readonly phases: readonly { readonly name: string; readonly seconds: number; readonly share: number }[];
}

const MOST_PHASES = 100;

export function profileOf(content: unknown): Profile | undefined {
  const { verdict, phases } = fieldsOf(content);
  if (typeof verdict !== 'string') return undefined;
  const known = listOf(phases)
    .slice(0, MOST_PHASES)
    .map(fieldsOf)
    .map(({ name, seconds, share }) => ({
      name: textOf(name) ?? '',
      seconds: numberOf(seconds) ?? 0,
      share: numberOf(share) ?? 0,
    }));
  return { verdict, phases: known };
}
