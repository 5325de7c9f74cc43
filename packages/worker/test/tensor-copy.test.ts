import { expect, test } from 'vitest';
import { TensorCopy, treeOf } from '../src/main/tensor-copy.js';

const host = (values: number[], shape = [values.length]) => ({
  ...{ dtype: 'float32' as const, shape },
  data: new Float32Array(values),
});

test('a copy is read like a tensor', async () => {
  const copy = new TensorCopy(host([1, 2, 3, 4], [2, 2]));
  expect([copy.shape, copy.rank, copy.size, copy.dtype]).toEqual([[2, 2], 2, 4, 'float32']);
  expect([...(copy.dataSync() as Float32Array)]).toEqual([1, 2, 3, 4]);
  expect(await copy.data()).toBe(copy.dataSync());
});

test('a copy does not change when the list of its shape does', () => {
  const shape = [2];
  const copy = new TensorCopy(host([1, 2], shape));
  shape[0] = 9;
  expect(copy.shape).toEqual([2]);
});

test('copies are put where the tensors were', () => {
  const tree = treeOf([
    { place: ['xs', 'image'], copy: host([1]) },
    { place: ['xs', 'text'], copy: host([2]) },
    { place: ['ys', '0'], copy: host([3]) },
  ]) as { xs: Record<string, TensorCopy>; ys: Record<string, TensorCopy> };
  expect(Object.keys(tree.xs)).toEqual(['image', 'text']);
  expect(tree.ys[0]!.dataSync()[0]).toBe(3);
});

test('a field that is a tensor itself is its copy', () => {
  expect(treeOf([{ place: [], copy: host([5]) }])).toBeInstanceOf(TensorCopy);
  expect(treeOf([])).toEqual({});
});
