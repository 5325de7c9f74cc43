import type { TensorTree } from '@hookline/hook-api';
import type { Tensor } from '@tensorflow/tfjs-core';

/** The tensors of a tree, in a fixed order: those of a record in the order of its keys. */
export function leaves(tree: TensorTree | undefined): Tensor[] {
  if (tree === undefined) return [];
  if (isTensor(tree)) return [tree];
  return Array.isArray(tree) ? tree : Object.values(tree);
}

/** The same tree with each tensor replaced. */
export function mapTree(tree: TensorTree, map: (tensor: Tensor) => Tensor): TensorTree {
  if (isTensor(tree)) return map(tree);
  if (Array.isArray(tree)) return tree.map(map);
  return Object.fromEntries(Object.entries(tree).map(([name, tensor]) => [name, map(tensor)]));
}

/** By shape instead of `instanceof`, because there may be two copies of tfjs. */
export function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'dataId' in value && 'dtype' in value;
}
