import { messageOf } from '@hookline/hook-api/helpers';
import { type FolderLock, lockFolder } from '@hookline/safetensors/node';
import { checkpointError } from '../errors.js';

/** One run at a time: two would remove each other's checkpoints. */
export async function lockCheckpoints(dir: string): Promise<FolderLock> {
  try {
    return await lockFolder(dir);
  } catch (cause) {
    if (Object(cause).code !== 'LOCKED') throw cause;
    throw checkpointError(
      'CHECKPOINT_FOLDER',
      `Another run is saving its checkpoints in the same folder: ${messageOf(cause)} Choose another folder with "dir".`,
      cause,
    );
  }
}
