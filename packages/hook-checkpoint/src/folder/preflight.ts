import type { TrainingState } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { freeSpace, join, mkdir, randomHex, readFile, rm, thisProcess } from '@hookline/host';
import { writePointer } from '@hookline/safetensors/node';
import { checkpointError } from '../errors.js';

/**
 * Writes a small file, reads it back and removes it: a folder that cannot be written to is found before the
 * first epoch and not after it.
 */
export async function probe(dir: string): Promise<void> {
  const file = join(dir, `.probe-${thisProcess().pid}-${randomHex(4)}`);
  const text = randomHex(1024);
  try {
    await mkdir(dir, { recursive: true });
    await writePointer(file, text);
    if (!(await readFile(file, 'utf8')).includes(text))
      throw new Error('what was read back differs from what was written');
  } catch (error) {
    throw checkpointError(
      'CHECKPOINT_FOLDER',
      `Checkpoints cannot be written to ${dir}: ${messageOf(error)}. Make it writable, or choose another folder ` +
        'with "dir".',
      error,
    );
  } finally {
    await rm(file, { force: true }).catch(() => {});
  }
}

/**
 * Whether there is room: without room for one checkpoint the problem is fatal, without room for all that will be kept
 * it is not. Preallocating would prove nothing: file systems let a file be longer than the space that is left.
 */
export async function spaceProblem(
  dir: string,
  state: Pick<TrainingState, 'parameters'>,
  checkpoints: number,
): Promise<{ message: string; isFatal: boolean } | undefined> {
  const free = await freeSpace(dir);
  const one = estimatedBytes(state);
  if (free === undefined || free >= one * checkpoints) return undefined;
  const message =
    `${megabytes(free)} are free in ${dir}; a checkpoint takes about ${megabytes(one)}, and up to ` +
    `${checkpoints} may exist at the same time. Make room, keep fewer with "saveTopK", or choose another "dir".`;
  return { message, isFatal: free < one };
}

/** Weights, two slots of an optimizer for each, and some room for the rest. */
function estimatedBytes({ parameters }: Pick<TrainingState, 'parameters'>): number {
  const weights = Object.values(parameters).reduce((sum, { size }) => sum + size * 4, 0);
  return weights * 3 + 2 ** 16;
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
