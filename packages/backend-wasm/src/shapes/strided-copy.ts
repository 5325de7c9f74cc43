import type { KernelContext } from '../backend/kernel-context.js';
import type { Address } from '../module/exports.js';

/** One axis of a copy: how many, and how far apart on either side, in elements. */
export interface CopyAxis {
  readonly size: number;
  readonly from: number;
  readonly to: number;
}

/** Copies elements of 4 bytes from anywhere to anywhere. Axes that advance alike on both sides are joined first. */
export function stridedCopy(
  { module }: KernelContext,
  from: Address,
  to: Address,
  axes: readonly CopyAxis[],
): void {
  if (axes.some(({ size }) => size === 0)) return;
  const joined = join(axes);
  const outer = joined.slice(0, -4);
  const inner = joined.slice(-4);
  while (inner.length < 4) inner.unshift({ size: 1, from: 0, to: 0 });
  const [a, b, c, d] = inner as [CopyAxis, CopyAxis, CopyAxis, CopyAxis];
  const isTranspose = outer.length === 0 && a.size === 1 && c.to === 1 && c.from === d.size;
  const visit = (axis: number, source: Address, target: Address): void => {
    const { size, from: stepFrom, to: stepTo } = outer[axis] ?? { size: 0, from: 0, to: 0 };
    if (axis === outer.length) {
      // biome-ignore format: the order of copyStrided.
      module.copyStrided(source, target, a.size, b.size, c.size, d.size, a.from, b.from, c.from, d.from, a.to, b.to, c.to, d.to);
      return;
    }
    for (let i = 0; i < size; i++) visit(axis + 1, source + i * stepFrom * 4, target + i * stepTo * 4);
  };
  if (isTranspose && d.from === 1 && d.to === c.size && isBatch(b, c.size * d.size)) {
    module.transpose(from, to, b.size, c.size, d.size);
  } else visit(0, from, to);
}

function isBatch({ size, from, to }: CopyAxis, length: number): boolean {
  return size === 1 || (from === length && to === length);
}

/** Without axes of size 1, and with one axis in place of two where the outer step is the length of the inner. */
function join(axes: readonly CopyAxis[]): CopyAxis[] {
  const joined: CopyAxis[] = [];
  for (const axis of axes) {
    if (axis.size === 1) continue;
    const last = joined.at(-1);
    if (last && last.from === axis.from * axis.size && last.to === axis.to * axis.size) {
      joined[joined.length - 1] = { size: last.size * axis.size, from: axis.from, to: axis.to };
    } else joined.push(axis);
  }
  return joined;
}

/** How far apart neighbours are along each axis of a shape. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let length = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = length;
    length *= shape[axis]!;
  }
  return strides;
}
