import type { Batch, TensorTree } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';

/** The tensors of a batch by name: `xs`, `xs/0` in a list, `xs/image` in a record; `ys`; `weights`. */
export function batchItems(batch: Batch): [name: string, tensor: Tensor][] {
  const parts = { xs: batch.xs, ys: batch.ys, weights: batch.weights };
  return Object.entries(parts).flatMap(([part, tree]) => (tree ? itemsOf(part, tree) : []));
}

/** How `xs`, `ys` and `weights` are structured: enough to rebuild the batch. */
export type BatchShape = Partial<Record<'xs' | 'ys' | 'weights', TreeShape>>;

type TreeShape = 'tensor' | { list: number } | { record: string[] };

export function batchShape({ xs, ys, weights }: Batch): BatchShape {
  return { xs: shapeOf(xs), ...(ys && { ys: shapeOf(ys) }), ...(weights && { weights: shapeOf(weights) }) };
}

/** The batch that `batchShape` and `batchItems` were taken from. */
export function joinBatch(shape: BatchShape, tensorOf: (name: string) => Tensor): Batch {
  const tree = (part: string, of: TreeShape): TensorTree => {
    if (of === 'tensor') return tensorOf(part);
    if ('list' in of) return Array.from({ length: of.list }, (_, index) => tensorOf(`${part}/${index}`));
    return Object.fromEntries(of.record.map((name) => [name, tensorOf(`${part}/${name}`)]));
  };
  return {
    xs: tree('xs', shape.xs ?? 'tensor'),
    ...(shape.ys && { ys: tree('ys', shape.ys) }),
    ...(shape.weights && { weights: tree('weights', shape.weights) }),
  };
}

/** `xs float32 [32, 8], ys float32 [32, 1]` */
export function describeItems(batch: Batch): string {
  return batchItems(batch)
    .map(([name, { dtype, shape }]) => `${name} ${dtype} [${shape.join(', ')}]`)
    .join(', ');
}

function itemsOf(part: string, tree: TensorTree): [string, Tensor][] {
  if (isTensor(tree)) return [[part, tree]];
  return Object.entries(tree).map(([name, tensor]) => [`${part}/${name}`, tensor]);
}

function shapeOf(tree: TensorTree): TreeShape {
  if (isTensor(tree)) return 'tensor';
  return Array.isArray(tree) ? { list: tree.length } : { record: Object.keys(tree) };
}
