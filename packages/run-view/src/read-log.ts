import { join } from '@hookline/host';
import { readLines } from './lines.js';
import { parseLine } from './log-line.js';
import type { ViewBuilder } from './view-builder.js';

export function logOf(folder: string): string {
  return join(folder, 'log.jsonl');
}

/** Hands the whole lines of a log from byte `from` on to the builder; returns where the next call goes on. */
export async function readLog(folder: string, from: number, builder: ViewBuilder): Promise<number> {
  try {
    const { end, tooLong } = await readLines(logOf(folder), from, (text) => take(builder, text));
    builder.skip(tooLong);
    return end;
  } catch {
    // There is none: json-log was off, or writes elsewhere.
    return from;
  }
}

function take(builder: ViewBuilder, text: string): void {
  const line = parseLine(text);
  if (line) builder.add(line);
  else if (text.trim() !== '') builder.skip();
}
