import type { Optimizer } from '@hookline/optimizers';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { layersOf, type ModelLayer, shapeOf } from './model-layers.js';
import { sizeOf, type Trainable } from './trainable.js';

type Row = { [Column in keyof ModelLayer]: string };

const HEAD: Row = { path: 'layer', kind: 'kind', shape: 'output', parameters: 'parameters' };

/** A table of the layers with their output shapes and parameters, and an estimate of the memory they take. */
export function modelSummary(trainable: Trainable, optimizers: readonly Optimizer[]): string {
  const rows = layersOf(trainable).map((layer) => ({ ...layer, parameters: count(layer.parameters) }));
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
    [
      `${bytes(total * 4)} of weights`,
      `${bytes(trained * 4)} of gradients`,
      ...stateSize(optimizers).map((size) => `${bytes(size * 4)} of optimizer state`),
      ...outputSize(trainable).map((size) => `${bytes(size * 4)} of outputs for each sample`),
    ].join(', '),
  ].join('\n');
}

/** Numbers that the optimizers will remember; nothing where one of them cannot tell. */
function stateSize(optimizers: readonly Optimizer[]): number[] {
  const sizes = optimizers.map((optimizer) => optimizer.stateSize);
  return sizes.includes(undefined) ? [] : [sizes.reduce<number>((sum, size) => sum + size!, 0)];
}

/** Of all layers together; nothing where the shape of one is not known before it runs. */
function outputSize({ source }: Trainable): number[] {
  if (!('layers' in source)) return [];
  const sizes = layersIn(source).map((layer) => sizesOf(shapeOf(layer)));
  const total = sizes.flat().reduce((sum, size) => sum + size, 0);
  return Number.isNaN(total) ? [] : [total];
}

/** Those that compute: the layers of a model inside are counted, the model itself is not. */
function layersIn({ layers }: LayersModel): LayersModel['layers'] {
  return layers.flatMap((layer) => ('layers' in layer ? layersIn(layer as LayersModel) : [layer]));
}

/** Of one sample, for each output. */
function sizesOf(shape: unknown): number[] {
  if (!Array.isArray(shape)) return [Number.NaN];
  if (shape.some(Array.isArray)) return shape.flatMap(sizesOf);
  return [
    (shape as (number | null)[]).slice(1).reduce<number>((size, each) => size * (each ?? Number.NaN), 1),
  ];
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const unit = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${Number((value / 1000 ** unit).toPrecision(3))} ${units[unit]}`;
}
