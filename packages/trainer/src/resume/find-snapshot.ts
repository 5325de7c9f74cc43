import { type CheckpointProvider, type CheckpointRef, didYouMean, type Snapshot } from '@hookline/hook-api';
import { trainerError } from '../errors.js';
import { checkSnapshot } from './check-snapshot.js';
import { INSTALL_CHECKPOINT } from './install-checkpoint.js';
import type { Resumable } from './resumable.js';

/** Throws when a snapshot cannot be used, naming the file. */
type Check = (snapshot: Snapshot, file: string) => void;

export interface FoundSnapshot {
  readonly checkpoint: CheckpointRef;
  readonly snapshot: Snapshot;
}

/**
 * The checkpoint of that name or path, read and checked; undefined when there is none. `asked` is what the user wrote,
 * for the error: `resume: "best"`.
 */
export async function findSnapshot(
  { checkpoints, world }: Pick<Resumable, 'checkpoints' | 'world'>,
  which: string,
  asked: string,
  check: Check = checkSnapshot,
): Promise<FoundSnapshot | undefined> {
  if (!world) return findHere(checkpoints, which, asked, check);
  // The main rank reads for all: the others need not see its disk.
  return world.fromMain(world.isMain ? await findHere(checkpoints, which, asked, check) : undefined);
}

async function findHere(
  checkpoints: CheckpointProvider | undefined,
  which: string,
  asked: string,
  check: Check,
): Promise<FoundSnapshot | undefined> {
  if (!checkpoints) {
    throw trainerError(
      'NO_CHECKPOINTS',
      `${asked} was asked for, but no hook offers checkpoints. ${INSTALL_CHECKPOINT}`,
    );
  }
  const checkpoint = await checkpoints.find(which, check);
  if (!checkpoint) return undefined;
  const snapshot = await checkpoints.load(checkpoint);
  check(snapshot, checkpoint.path);
  return { checkpoint, snapshot };
}

/** The same, where there must be one. */
export async function requireSnapshot(
  run: Pick<Resumable, 'checkpoints' | 'world'>,
  which: string,
  asked: string,
  check?: Check,
): Promise<FoundSnapshot> {
  const found = await findSnapshot(run, which, asked, check);
  if (found) return found;
  throw trainerError(
    'NO_CHECKPOINTS',
    `${asked} was asked for, but there is no such checkpoint.${meantBy(which)} Expected "auto", "best", "last" or the path of a checkpoint.`,
  );
}

/** Also for the words of other frameworks. */
function meantBy(which: string): string {
  if (which === 'last') return ' Nothing was saved here yet.';
  if (which === 'best') {
    return ' No checkpoint was ranked here: it is the best by the metric that the option "monitor" of the checkpoint hook names, val/loss by default, and no saved epoch had it.';
  }
  return /^(latest|newest|true|continue)$/i.test(which)
    ? ' Did you mean "auto", which continues the last run, or "last"?'
    : didYouMean(which, ['auto', 'best', 'last']);
}
