import { resolve } from '@hookline/host';
import { parameterPaths } from '@hookline/layer-taps';
import { fromHost } from '@hookline/numerics';
import { type CommittedFolder, openFolder } from '@hookline/safetensors/node';
import { io } from '@tensorflow/tfjs-core';
import { type LayersModel, loadLayersModel } from '@tensorflow/tfjs-layers';
import { trainerError } from '../errors.js';
import { pickCheckpoint } from './checkpoint-folders.js';
import { type SavedWeights, savedWeights } from './saved-weights.js';

export interface LoadModelOptions {
  /** Of a folder with several: `best`, `last`, or the name of one. Without it the best, or else the last. */
  checkpoint?: string;
  /** `false`: the weights of training, where `ema` kept a moving average of them. By default the average. */
  average?: boolean;
}

/**
 * A trained `tf.LayersModel` from the folder of a run, a folder of checkpoints, or one checkpoint; it needs no
 * `tfjs-node`. Every file is verified. The model is yours.
 */
export async function loadModel(folder: string, options: LoadModelOptions = {}): Promise<LayersModel> {
  const saved = await openFolder(await pickCheckpoint(resolve(folder), options.checkpoint));
  return modelOf(saved, await savedWeights(saved, options.average));
}

/** The model that a checkpoint describes, with these weights. */
export async function modelOf(saved: CommittedFolder, weights: SavedWeights): Promise<LayersModel> {
  const model = await emptyModel(saved);
  const parameters = parameterPaths(model);
  const unfit = parameters.flatMap(({ path, variable: { shape } }) => {
    const found = weights.get(path);
    if (found && String(found.shape) === String(shape)) return [];
    return [found ? `${path} is [${found.shape}], the model has [${shape}]` : `${path} is missing`];
  });
  if (unfit.length > 0) {
    model.dispose();
    throw trainerError(
      'CHECKPOINT_MISMATCH',
      `The weights of "${saved.path}" do not fit its model.json: ${unfit.join('; ')}.`,
    );
  }
  for (const { path, variable } of parameters) {
    const value = fromHost(weights.get(path)!);
    variable.write(value);
    value.dispose();
  }
  return model;
}

async function emptyModel(saved: CommittedFolder): Promise<LayersModel> {
  if (!saved.manifest.files.has('model.json')) {
    throw trainerError(
      'BAD_MODEL',
      `"${saved.path}" has no model.json, because its model is not a tf.LayersModel. Build the model in code and load its weights with trainer.load(), or export them with --format safetensors.`,
    );
  }
  const { modelTopology } = JSON.parse(await saved.readText('model.json')) as io.ModelJSON;
  try {
    return await loadLayersModel(io.fromMemory({ modelTopology }));
  } catch (cause) {
    const unknown = /Unknown \w+: (\w+)/.exec((cause as Error).message)?.[1];
    if (unknown === undefined) throw cause;
    throw trainerError(
      'BAD_MODEL',
      `"${saved.path}" has a layer of class ${unknown}, which TensorFlow.js does not know. Import the file that defines it and calls serialization.registerClass(${unknown}) first.`,
      cause,
    );
  }
}
