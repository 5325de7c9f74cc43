import { type FileSystem, fileSystem } from '@hookline/host';
import type { Dtype, TensorData } from '../dtypes.js';
import type { EncodeOptions } from '../encode-safetensors.js';
import { layOut } from '../layout.js';
import { bytesOf, dtypeOf, entriesOf, type TensorInput } from '../tensors.js';
import { type FileSystemOption, failed, flushParent } from './file-system.js';
import { type FileDigest, HashedFile } from './hashed-file.js';
import { tempPathFor } from './temp-name.js';

/** A tensor that is fetched when its turn comes, so that only one of them needs to be in memory. */
export interface LazyTensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: () => TensorData | Promise<TensorData>;
}

export type StreamedTensors =
  | ReadonlyMap<string, TensorInput | LazyTensor>
  | Readonly<Record<string, TensorInput | LazyTensor>>;

export interface WriteSafetensorsOptions extends EncodeOptions, FileSystemOption {}

/**
 * Writes a file that is there as a whole or not at all; one that was there before is replaced at that moment. The
 * arrays must stay as they are until it is done.
 */
export async function writeSafetensors(
  path: string,
  tensors: StreamedTensors,
  { fs = fileSystem, ...options }: WriteSafetensorsOptions = {},
): Promise<FileDigest> {
  const temporary = tempPathFor(path);
  try {
    const digest = await writeTensors(fs, temporary, tensors, options);
    await fs.rename(temporary, path);
    await flushParent(fs, path);
    return digest;
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {});
    throw failed(`Could not write "${path}"`, error);
  }
}

/** Writes a new file, flushed to the disk when it settles. */
export async function writeTensors(
  fs: FileSystem,
  path: string,
  tensors: StreamedTensors,
  { metadata = {} }: EncodeOptions = {},
): Promise<FileDigest> {
  const layout = layOut(
    entriesOf<TensorInput | LazyTensor>(tensors).map(([name, { dtype, shape, data }]) => ({
      name,
      dtype: dtypeOf(name, dtype, data),
      shape,
      data,
    })),
    metadata,
  );
  // Before there is a file: what is already here is checked at once.
  for (const { name, dtype, shape, data } of layout.tensors) {
    if (typeof data !== 'function') bytesOf(name, { dtype, shape, data });
  }
  return HashedFile.write(fs, path, async (file) => {
    await file.append(layout.header);
    for (const { name, dtype, shape, data } of layout.tensors) {
      const ready = typeof data === 'function' ? await data() : data;
      await file.append(bytesOf(name, { dtype, shape, data: ready }));
    }
  });
}
