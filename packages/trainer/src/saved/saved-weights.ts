import type { HostTensor } from '@hookline/hook-api';
import type { Dtype, TensorInput } from '@hookline/safetensors';
import type { CommittedFolder } from '@hookline/safetensors/node';
import { io } from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';

/** Weights by parameter path. */
export type SavedWeights = ReadonlyMap<string, HostTensor>;

const DTYPES: Readonly<Record<HostTensor['dtype'], Dtype>> = { float32: 'F32', int32: 'I32', bool: 'BOOL' };

/**
 * The weights of a checkpoint; every file is verified as it is read. Where the run kept a moving average of its weights, it
 * was the average that was validated: it is taken, unless `average` is false.
 */
export async function savedWeights(folder: CommittedFolder, average = true): Promise<SavedWeights> {
  const { files } = folder.manifest;
  const weights = new Map<string, HostTensor>();
  if (files.has('weights.bin')) await addTfjsWeights(folder, weights);
  if (files.has('model.safetensors')) await addTensors(folder, 'model.safetensors', weights);
  if (average && files.has('average.safetensors')) await addTensors(folder, 'average.safetensors', weights);
  return weights;
}

/** The weights under other names, as a safetensors file holds them. */
export function toSafetensors(
  weights: SavedWeights,
  nameOf: (path: string) => string = (path) => path,
): ReadonlyMap<string, TensorInput> {
  return new Map(
    [...weights].map(([path, { dtype, shape, data }]) => [
      nameOf(path),
      { dtype: DTYPES[dtype], shape, data },
    ]),
  );
}

async function addTensors(
  folder: CommittedFolder,
  file: string,
  weights: Map<string, HostTensor>,
): Promise<void> {
  const { tensors } = await folder.readSafetensors(file);
  for (const [path, { dtype: saved, shape, data }] of tensors) {
    const dtype = Object.keys(DTYPES).find(
      (name): name is HostTensor['dtype'] => DTYPES[name as HostTensor['dtype']] === saved,
    );
    if (!dtype) {
      throw trainerError(
        'CHECKPOINT_MISMATCH',
        `"${path}" in ${file} of "${folder.path}" has the type ${saved}; TensorFlow.js has no such tensors.`,
      );
    }
    weights.set(path, { dtype, shape, data: data as HostTensor['data'] });
  }
}

/** Those of a checkpoint with `format: 'tfjs'`, whose model.json also names the path of each weight. */
async function addTfjsWeights(folder: CommittedFolder, weights: Map<string, HostTensor>): Promise<void> {
  const { weightsManifest = [] } = JSON.parse(await folder.readText('model.json')) as ModelJson;
  const specs = weightsManifest.flatMap((group) => group.weights);
  const bytes = await folder.read('weights.bin');
  const named = io.decodeWeights(Uint8Array.from(bytes).buffer, specs);
  for (const { name, path } of specs) {
    const tensor = named[name]!;
    const data = tensor.dataSync() as HostTensor['data'];
    weights.set(path, { dtype: tensor.dtype as HostTensor['dtype'], shape: tensor.shape, data });
    tensor.dispose();
  }
}

interface ModelJson {
  weightsManifest?: { weights: (io.WeightsManifestEntry & { path: string })[] }[];
}
