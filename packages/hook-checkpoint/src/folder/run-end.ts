import type { CheckpointRef } from '@hookline/hook-api';
import { join, rm } from '@hookline/host';
import { readPointer, writePointer } from '@hookline/safetensors/node';

type Ended = NonNullable<CheckpointRef['ended']>;

/** Notes how the run ended whose last checkpoint is this one: `resume: 'auto'` does not continue what is finished. */
export async function markEnd(dir: string, checkpoint: string, ended: Ended): Promise<void> {
  await writePointer(join(dir, FILE), { checkpoint, ...ended });
}

/** The run is continued after all. */
export async function unmarkEnd(dir: string): Promise<void> {
  await rm(join(dir, FILE), { force: true });
}

/** How the run ended with this very checkpoint; undefined when it did not. */
export async function endOf(dir: string, checkpoint: string): Promise<Ended | undefined> {
  const mark = await readPointer(join(dir, FILE)).catch(() => undefined);
  const { checkpoint: last, status, stopReason } = Object(mark) as Partial<Ended & { checkpoint: string }>;
  if (last !== checkpoint || (status !== 'completed' && status !== 'stopped')) return undefined;
  return { status, ...(stopReason !== undefined && { stopReason }) };
}

const FILE = 'ended.json';
