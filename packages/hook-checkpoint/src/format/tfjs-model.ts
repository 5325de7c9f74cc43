import type { TrainingState } from '@hookline/hook-api';
import { checkpointError } from '../errors.js';

/** A model as `tf.loadLayersModel` reads it: `model.json`, and the weights whose values make `weights.bin`. */
export interface TfjsModel {
  readonly json: string;
  /** Of the weights, in the order of the file. */
  readonly paths: readonly string[];
}

type LayersModel = Extract<TrainingState['model'], { layers: unknown }>;
type Described = Pick<TrainingState, 'model' | 'parameters'>;

/** The topology alone; undefined for a model made of raw ops, which has none. */
export function topologyOf({ model }: Described): string | undefined {
  return isLayersModel(model) ? JSON.stringify(describe(model)) : undefined;
}

export function tfjsModelOf({ model, parameters }: Described): TfjsModel {
  if (!isLayersModel(model)) {
    throw checkpointError(
      'HOOK_OPTIONS',
      'Checkpoints were asked for with format: "tfjs", but the model is not a tf.LayersModel: there is nothing that ' +
        'tf.loadLayersModel could load. Use format: "safetensors".',
    );
  }
  const pathOf = new Map(Object.entries(parameters).map(([path, variable]) => [variable, path]));
  const weights = model.weights.flatMap((weight) => {
    const { shape, dtype, originalName: name } = weight;
    const path = pathOf.get(weight.read() as never);
    // tfjs ignores what it does not know: the path is for us.
    return path === undefined ? [] : [{ name, shape, dtype, path }];
  });
  const json = { ...describe(model), weightsManifest: [{ paths: ['weights.bin'], weights }] };
  return { json: JSON.stringify(json), paths: weights.map(({ path }) => path) };
}

export interface ManifestWeight {
  readonly shape: number[];
  readonly dtype: 'float32' | 'int32' | 'bool';
  readonly path: string;
}

/** The weights that the `model.json` of such a checkpoint lists; none if it is in another format. */
export function weightsListed(json: string): readonly ManifestWeight[] {
  const { weightsManifest = [] } = JSON.parse(json) as { weightsManifest?: { weights: ManifestWeight[] }[] };
  return weightsManifest.flatMap(({ weights }) => weights);
}

export function isTopology(text: string): boolean {
  try {
    const { format, modelTopology } = Object(JSON.parse(text)) as Record<string, unknown>;
    return format === 'layers-model' && typeof modelTopology === 'object' && modelTopology !== null;
  } catch {
    return false;
  }
}

function describe(model: LayersModel): object {
  return {
    format: 'layers-model',
    generatedBy: '@hookline/hook-checkpoint',
    convertedBy: null,
    modelTopology: model.toJSON(null, false),
  };
}

// By shape, never instanceof: two copies of tfjs-layers may be installed.
function isLayersModel(model: TrainingState['model']): model is LayersModel {
  return 'layers' in model && 'toJSON' in model;
}
