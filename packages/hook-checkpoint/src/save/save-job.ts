import type { HostTensor } from '@hookline/hook-api';
import type { CheckpointInfo } from '../folder/checkpoint-info.js';

export type TensorGroup = Readonly<Record<string, HostTensor>>;

/** A file of a checkpoint before it is written. */
export type CheckpointFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly tensors: TensorGroup }
  /** The values of the tensors one after the other. */
  | { readonly name: string; readonly joined: readonly HostTensor[] };

/** Everything that the writing thread needs; it can be posted to it. */
export interface SaveJob {
  readonly target: string;
  readonly files: readonly CheckpointFile[];
  readonly info: CheckpointInfo;
  /** Which weights must be finite, by path, and their values. */
  readonly finite: TensorGroup;
}

/**
 * The memory of the tensors, which is transferred instead of copied: nobody else uses the snapshot. A view of a larger
 * buffer, or of shared memory, is copied.
 */
export function memoryOf({ files }: SaveJob): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const file of files) {
    const tensors = 'joined' in file ? file.joined : 'tensors' in file ? Object.values(file.tensors) : [];
    for (const { data } of tensors) {
      const { buffer, byteLength } = data;
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffers.add(buffer);
    }
  }
  return [...buffers];
}
