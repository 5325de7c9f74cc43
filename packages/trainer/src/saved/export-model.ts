import { messageOf } from '@hookline/hook-api/helpers';
import { dirname, mkdir, resolve } from '@hookline/host';
import {
  type CommittedFolder,
  commitFolder,
  type FolderWriter,
  openFolder,
} from '@hookline/safetensors/node';
import { io } from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { pickCheckpoint } from './checkpoint-folders.js';
import { kerasNames } from './keras-names.js';
import { type LoadModelOptions, modelOf } from './load-model.js';
import { type SavedWeights, savedWeights, toSafetensors } from './saved-weights.js';

/**
 * `tfjs`: `model.json` and `weights.bin`, which `tf.loadLayersModel` reads. `safetensors`: the weights by path.
 * `keras`: the weights as a safetensors file with the names that Keras gives them.
 */
export type ExportFormat = 'tfjs' | 'safetensors' | 'keras';

export const EXPORT_FORMATS: readonly ExportFormat[] = ['tfjs', 'safetensors', 'keras'];

export interface ExportOptions extends LoadModelOptions {
  /** Default `tfjs`. */
  format?: ExportFormat;
}

export interface Exported {
  readonly checkpoint: string;
  readonly folder: string;
  readonly files: ReadonlyMap<string, { readonly bytes: number }>;
}

/** Writes the model of a run or checkpoint into a new folder, which is there as a whole or not at all. */
export async function exportModel(
  source: string,
  target: string,
  { format = 'tfjs', checkpoint, average }: ExportOptions = {},
): Promise<Exported> {
  const saved = await openFolder(await pickCheckpoint(resolve(source), checkpoint));
  const weights = await savedWeights(saved, average);
  const folder = resolve(target);
  const write = await WRITERS[format](saved, weights);
  await mkdir(dirname(folder), { recursive: true }).catch((cause) => {
    throw trainerError(
      'FOLDER_NOT_WRITABLE',
      `The model cannot be written to ${folder}: ${messageOf(cause)}. Make the folder above it writable, or name another one.`,
      cause,
    );
  });
  const { files } = await commitFolder(folder, write, { info: { format, checkpoint: saved.path } });
  return { checkpoint: saved.path, folder, files };
}

type Write = (folder: FolderWriter) => Promise<unknown>;

const WRITERS: Readonly<
  Record<ExportFormat, (saved: CommittedFolder, weights: SavedWeights) => Promise<Write>>
> = {
  tfjs: async (saved, weights) => {
    const model = await modelOf(saved, weights);
    let artifacts: io.ModelArtifacts | undefined;
    await model.save(
      io.withSaveHandler(async (given) => {
        artifacts = given;
        return { modelArtifactsInfo: io.getModelArtifactsInfoForJSON(given) };
      }),
    );
    model.dispose();
    const { modelTopology, weightSpecs, weightData } = artifacts!;
    const json = {
      format: 'layers-model',
      generatedBy: 'hookline',
      modelTopology,
      weightsManifest: [{ paths: ['weights.bin'], weights: weightSpecs }],
    };
    return async (folder) => {
      await folder.write('weights.bin', new Uint8Array(io.CompositeArrayBuffer.join(weightData)));
      await folder.write('model.json', JSON.stringify(json));
    };
  },
  safetensors: async (saved, weights) => {
    const topology = saved.manifest.files.has('model.json') ? await saved.readText('model.json') : undefined;
    return async (folder) => {
      await folder.writeSafetensors('model.safetensors', toSafetensors(weights));
      if (topology !== undefined) await folder.write('model.json', topology);
    };
  },
  keras: async (saved, weights) => {
    const model = await modelOf(saved, weights);
    const names = kerasNames(model);
    model.dispose();
    return (folder) =>
      folder.writeSafetensors(
        'model.safetensors',
        toSafetensors(weights, (path) => names.get(path) ?? path),
      );
  },
};
