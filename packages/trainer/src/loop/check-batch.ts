import type { LoadedBatch, NamedShape, SampleShapes } from '@hookline/data';
import type { TensorTree } from '@hookline/hook-api';
import { isTensor, leaves } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';

/** Throws when a batch cannot enter the model, before tfjs fails somewhere inside. Looks at shapes only. */
export function checkBatch(
  { batch, batchIndex, loaderName }: LoadedBatch,
  shapes: SampleShapes | undefined,
): void {
  const where = `Batch ${batchIndex + 1} of loader "${loaderName}"`;
  const inputs = leaves(batch.xs);
  checkTensors([...inputs, ...leaves(batch.ys)], where);
  if (!shapes) return;
  if (inputs.length !== shapes.inputs.length) {
    const names = shapes.inputs.map(({ name }) => name).join(', ');
    throw trainerError(
      'BAD_BATCH',
      `${where} has ${inputs.length} inputs, but the model takes ${shapes.inputs.length}: ${names}.`,
    );
  }
  const given = byName(batch.xs, shapes.inputs);
  for (const [index, { name, shape }] of shapes.inputs.entries()) {
    const tensor = given(name, index);
    if (!tensor) {
      throw trainerError(
        'BAD_BATCH',
        `${where} has no input "${name}"; xs has: ${Object.keys(batch.xs).join(', ')}.`,
      );
    }
    if (fits(tensor.shape.slice(1), shape)) continue;
    throw trainerError(
      'BAD_BATCH',
      `${where} has xs of shape [${tensor.shape}], but the model's input "${name}" takes [batch, ${shape.map((size) => size ?? 'any').join(', ')}]. ` +
        'The first dimension is the batch; reshape the data or change inputShape.',
    );
  }
}

function checkTensors(tensors: readonly Tensor[], where: string): void {
  for (const { isDisposed, dtype, shape } of tensors) {
    if (isDisposed) {
      throw trainerError(
        'BAD_BATCH',
        `${where} has a tensor of shape [${shape}] that was disposed. The trainer disposes what comes from a generator: give each batch its own tensors (tf.clone), or an array of batches, which stay yours.`,
      );
    }
    if (dtype === 'string') {
      throw trainerError(
        'BAD_BATCH',
        `${where} has a tensor of text, expected numbers. Give each text a number, such as its index in a list.`,
      );
    }
  }
}

function byName(xs: TensorTree, inputs: readonly NamedShape[]) {
  if (isTensor(xs) || Array.isArray(xs) || inputs.length === 0)
    return (_name: string, index: number) => leaves(xs)[index];
  return (name: string) => xs[name];
}

function fits(given: readonly number[], expected: readonly (number | null)[]): boolean {
  return (
    given.length === expected.length &&
    expected.every((size, index) => size === null || size === given[index])
  );
}
