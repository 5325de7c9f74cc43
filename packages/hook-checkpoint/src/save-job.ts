import type { HostTensor } from '@hookline/hook-api';
import type { CheckpointInfo } from './checkpoint-info.js';

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
 * The memory of the tensors, to be handed over instead of copied: the snapshot has no other use. What is only a part
 * of some memory, or shared, is copied.
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
