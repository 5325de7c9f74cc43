import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { multiply } from './matmul.js';
import { transposed } from './rearrange.js';
import { sumOf } from './reduce.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

/**
 * tfjs has one for cpu only, which multiplies everything with everything before it sums, and fails where two summed axes
 * belong to one operand alone. Here it is one product of matrices.
 */
export const EINSUM_KERNEL: TrainingKernel = kernel<Tensor[], { equation: string }>(
  tf.Einsum,
  'added',
  (context, tensors, { equation }) => {
    if (!areFloats(...tensors)) return undefined;
    const { allDims, idDims } = tf.backend_util.decodeEinsumEquation(equation, tensors.length);
    tf.backend_util.checkEinsumDimSizes(allDims.length, idDims, tensors as tf.Tensor[]);
    const [left, result] = equation.replaceAll(' ', '').split('->') as [string, string];
    const labels = left.split(',');
    const made: Tensor[] = [];
    const own = (tensor: Tensor): Tensor => {
      made.push(tensor);
      return tensor;
    };
    const operands = tensors.map((tensor, index): Labelled => {
      const elsewhere = result + labels.filter((_, other) => other !== index).join('');
      return summed(context, { tensor, labels: labels[index]! }, elsewhere, own);
    });
    const [a, b] = operands as [Labelled, Labelled | undefined];
    const product = b ? contracted(context, a, b, result, own) : a;
    const out = transposed(
      context,
      product.tensor,
      [...result].map((label) => product.labels.indexOf(label)),
    );
    for (const tensor of made) context.dispose(tensor);
    return out;
  },
);

interface Labelled {
  readonly tensor: Tensor;
  readonly labels: string;
}

type Own = (tensor: Tensor) => Tensor;

/** Without the axes that are summed over and that nothing else has. */
function summed(context: KernelContext, { tensor, labels }: Labelled, elsewhere: string, own: Own): Labelled {
  const axes = [...labels].flatMap((label, axis) => (elsewhere.includes(label) ? [] : [axis]));
  if (axes.length === 0) return { tensor, labels };
  const kept = [...labels].filter((label) => elsewhere.includes(label)).join('');
  return {
    tensor: own(sumOf(context, tensor, axes, false)),
    labels: kept,
  };
}

/** [batch, free a, free b]: axes of both that stay are the batch, axes of both that go are the depth. */
function contracted(context: KernelContext, a: Labelled, b: Labelled, result: string, own: Own): Labelled {
  const shared = [...a.labels].filter((label) => b.labels.includes(label));
  const batch = shared.filter((label) => result.includes(label));
  const depth = shared.filter((label) => !result.includes(label));
  const freeA = [...a.labels].filter((label) => !shared.includes(label));
  const freeB = [...b.labels].filter((label) => !shared.includes(label));
  const sizes = new Map([...sizesOf(a), ...sizesOf(b)]);
  const size = (labels: readonly string[]) =>
    labels.reduce((product, label) => product * sizes.get(label)!, 1);
  const left = own(
    matrix(context, a, [...batch, ...freeA, ...depth], [size(batch), size(freeA), size(depth)], own),
  );
  const right = own(
    matrix(context, b, [...batch, ...depth, ...freeB], [size(batch), size(depth), size(freeB)], own),
  );
  const product = own(multiply(context, left, right, { transposeA: false, transposeB: false }, 0, false));
  const labels = [...batch, ...freeA, ...freeB];
  const shape = labels.map((label) => sizes.get(label)!);
  return { tensor: own(context.alias(product, shape)), labels: labels.join('') };
}

function sizesOf({ tensor, labels }: Labelled): [string, number][] {
  return [...labels].map((label, axis) => [label, tensor.shape[axis]!]);
}

function matrix(
  context: KernelContext,
  { tensor, labels }: Labelled,
  order: readonly string[],
  shape: number[],
  own: Own,
): Tensor {
  const ordered = own(
    transposed(
      context,
      tensor,
      order.map((label) => labels.indexOf(label)),
    ),
  );
  return context.alias(ordered, shape);
}
