import { layerPaths } from '@hookline/layer-taps';
import type { Parameter } from '@hookline/optimizers';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import type { Trainable } from './trainable.js';

/** A row of the model's summary. */
export interface ModelLayer {
  readonly path: string;
  readonly kind: string;
  /** Of the output: `[batch, 10]`. */
  readonly shape: string;
  readonly parameters: number;
}

/** The layers of a model; the parameters of a module that has none. */
export function layersOf({ source, parameters }: Trainable): ModelLayer[] {
  return 'layers' in source ? layerRows(source) : parameterRows(parameters);
}

const MOST_LAYERS = 1000;

/** For the record of a run, which is read as a whole. A model that cannot tell its layers is recorded without them. */
export function modelLayers(trainable: Trainable): ModelLayer[] {
  try {
    return layersOf(trainable).slice(0, MOST_LAYERS);
  } catch {
    return [];
  }
}

/** A shared layer has several outputs, and tfjs refuses to name one. */
export function shapeOf(layer: { outputShape: unknown }): unknown {
  try {
    return layer.outputShape;
  } catch {
    return 'several';
  }
}

function layerRows(model: LayersModel): ModelLayer[] {
  return [...layerPaths(model)].map(([path, layer]) => ({
    path,
    kind: layer.getClassName(),
    shape: shapeText(shapeOf(layer)),
    parameters: layer.countParams(),
  }));
}

function parameterRows(parameters: readonly Parameter[]): ModelLayer[] {
  return parameters.map(({ path, variable }) => ({
    path,
    kind: 'parameter',
    shape: shapeText(variable.shape),
    parameters: variable.size,
  }));
}

function shapeText(shape: unknown): string {
  if (!Array.isArray(shape)) return String(shape ?? '');
  if (shape.some(Array.isArray)) return shape.map(shapeText).join(' ');
  return `[${shape.map((size) => size ?? 'batch').join(', ')}]`;
}
