import { finiteOrText } from '@hookline/hook-api/helpers';
import type { Format, NotifyEvent } from '../options.js';

/** A message, as it is sent in the format `json`. Numbers that JSON cannot hold are text: `"NaN"`, `"Infinity"`. */
export interface Payload {
  readonly version: 1;
  readonly event: NotifyEvent;
  /** For people; at most 2,000 characters. */
  readonly text: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly run: { readonly id: string; readonly configHash: string; readonly gitCommit: string };
  /** From 0. */
  readonly epoch: number;
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
  /** Why the run ended before its last epoch. */
  readonly stopReason?: string | undefined;
  readonly error?: string | undefined;
}

export function bodyOf(payload: Payload, format: Format): string {
  if (format === 'slack') return JSON.stringify({ text: escapeSlack(payload.text) });
  // A metric or an error that holds "@everyone" must not wake everyone.
  if (format === 'discord') return JSON.stringify({ content: payload.text, allowed_mentions: { parse: [] } });
  return JSON.stringify(payload, finiteOrText);
}

/** Slack reads `<!channel>` and links out of text that is not escaped. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
