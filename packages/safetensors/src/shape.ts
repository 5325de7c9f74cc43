import { bitsOf, type Dtype } from './dtypes.js';
import { SafetensorsError } from './errors.js';

/** How many bytes a tensor takes. Numbers above 2^53 are refused rather than rounded. */
export function byteLengthOf(name: string, dtype: Dtype, shape: readonly number[]): number {
  let elements = 1;
  for (const size of shape)
    elements = checked(name, dtype, shape, elements * checked(name, dtype, shape, size));
  const bits = checked(name, dtype, shape, elements * bitsOf(dtype));
  if (bits % 8 !== 0) {
    throw new SafetensorsError(
      'MISALIGNED_SLICE',
      `Tensor "${name}" of ${dtype} [${shape.join(', ')}] takes ${bits} bits, which is not a whole number of bytes.`,
    );
  }
  return bits / 8;
}

function checked(name: string, dtype: Dtype, shape: readonly number[], value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new SafetensorsError(
    'VALIDATION_OVERFLOW',
    `Tensor "${name}" of ${dtype} has the shape [${shape.join(', ')}]. Expected whole numbers from 0, of fewer than 2^53 bits together.`,
  );
}
