import type { HostTensor } from '@hookline/hook-api';
import type { Dtype, TensorInput } from '@hookline/safetensors';
import { commitFolder } from '@hookline/safetensors/node';
import type { CheckpointFile, SaveJob, TensorGroup } from './save-job.js';
import { failureOf, type SaveOutcome } from './save-outcome.js';

const DTYPES: Readonly<Record<HostTensor['dtype'], Dtype>> = { float32: 'F32', int32: 'I32', bool: 'BOOL' };

/** Writes a checkpoint, whole or not at all. Runs on either thread, and never throws. */
export async function writeCheckpoint({ target, files, info, finite }: SaveJob): Promise<SaveOutcome> {
  try {
    const problem = nonFinite(finite);
    if (problem !== undefined) return { ok: false, failure: { kind: 'weights', message: problem } };
    const manifest = await commitFolder(
      target,
      async (folder) => {
        for (const file of files) {
          if ('tensors' in file) await folder.writeSafetensors(file.name, toSafetensors(file.tensors));
          else await folder.write(file.name, contentOf(file));
        }
      },
      { info },
    );
    return { ok: true, bytes: [...manifest.files.values()].reduce((sum, { bytes }) => sum + bytes, 0) };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  }
}

/** The first weight that is not finite, in words. */
function nonFinite(weights: TensorGroup): string | undefined {
  for (const [path, { data }] of Object.entries(weights)) {
    // Zero times anything finite is zero: ten times as fast as testing each value.
    let sum = 0;
    for (let index = 0; index < data.length; index++) sum += data[index]! * 0;
    if (sum === 0) continue;
    const index = data.findIndex((value: number) => !Number.isFinite(value));
    return `"${path}" has ${data[index]} at ${index}`;
  }
  return undefined;
}

function toSafetensors(group: TensorGroup): Map<string, TensorInput> {
  const entries = Object.entries(group);
  return new Map(
    entries.map(([path, { dtype, shape, data }]) => [path, { dtype: DTYPES[dtype], shape, data }]),
  );
}

function contentOf(file: Exclude<CheckpointFile, { tensors: TensorGroup }>): string | Uint8Array[] {
  if ('text' in file) return file.text;
  return file.joined.map(({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}
