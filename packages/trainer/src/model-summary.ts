import { layerPaths } from '@hookline/layer-taps';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { type Parameter, sizeOf, type Trainable } from './model/trainable.js';

interface Row {
  name: string;
  kind: string;
  shape: string;
  parameters: string;
}

const HEAD: Row = { name: 'layer', kind: 'kind', shape: 'output', parameters: 'parameters' };

/** A table of the layers with their output shapes and parameters, and an estimate of the memory they take. */
export function modelSummary(trainable: Trainable): string {
  const rows =
    'layers' in trainable.source ? layerRows(trainable.source) : parameterRows(trainable.parameters);
  const widths = (Object.keys(HEAD) as (keyof Row)[]).map((column) => ({
    column,
    width: Math.max(...[HEAD, ...rows].map((row) => row[column].length)),
  }));
  const line = (row: Row) =>
    widths
      .map(({ column, width }) =>
        column === 'parameters' ? row[column].padStart(width) : row[column].padEnd(width),
      )
      .join('  ')
      .trimEnd();
  const total = sizeOf(trainable);
  const trained = trainable.trained().reduce((sum, { variable }) => sum + variable.size, 0);
  return [
    line(HEAD),
    ...rows.map(line),
    '',
    `${count(total)} parameters, ${count(trained)} of them trained`,
    `${bytes(total * 4)} of weights, ${bytes(trained * 4)} of gradients`,
  ].join('\n');
}

function layerRows(model: LayersModel): Row[] {
  return [...layerPaths(model)].map(([name, layer]) => ({
    name,
    kind: layer.getClassName(),
    shape: outputShape(layer),
    parameters: count(layer.countParams()),
  }));
}

function parameterRows(parameters: readonly Parameter[]): Row[] {
  return parameters.map(({ path, variable }) => ({
    name: path,
    kind: 'parameter',
    shape: shapeText(variable.shape),
    parameters: count(variable.size),
  }));
}

/** A shared layer has several outputs, and tfjs refuses to name one. */
function outputShape(layer: { outputShape: unknown }): string {
  try {
    return shapeText(layer.outputShape);
  } catch {
    return 'several';
  }
}

function shapeText(shape: unknown): string {
  if (!Array.isArray(shape)) return '';
  if (shape.some(Array.isArray)) return shape.map(shapeText).join(' ');
  return `[${shape.map((size) => size ?? 'batch').join(', ')}]`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const unit = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${Number((value / 1000 ** unit).toPrecision(3))} ${units[unit]}`;
}
