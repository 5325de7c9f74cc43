import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { BINARY, UNARY } from '../module/operation-codes.js';
import { binaryInPlace } from './elementwise.js';

/** The attributes and inputs of a fused kernel that describe its activation. */
export interface Activation {
  readonly activation?: string | null;
  readonly preluActivationWeights?: Tensor | undefined;
  readonly leakyreluAlpha?: number | undefined;
}

const CODES: Readonly<Record<string, number>> = {
  relu: UNARY.relu,
  relu6: UNARY.relu6,
  elu: UNARY.elu,
  sigmoid: UNARY.sigmoid,
  tanh: UNARY.tanh,
  leakyrelu: UNARY.leakyRelu,
};

/** Whether `withActivation` knows it. */
export function isKnownActivation(activation: string | null | undefined): boolean {
  return activation == null || activation === 'linear' || activation === 'prelu' || activation in CODES;
}

/**
 * A product with its bias and activation. `product` takes what it can do itself: the address of a bias with one number
 * for each channel, or 0, and whether to apply relu. `vector` is that address, undefined for a bias of another shape.
 */
export function withActivation(
  context: KernelContext,
  product: (bias: Address, relu: boolean) => Tensor,
  bias: Tensor | undefined,
  vector: Address | undefined,
  given: Activation,
): Tensor {
  const relu = given.activation === 'relu' && vector !== undefined;
  const out = product(vector ?? 0, relu);
  if (bias && vector === undefined) {
    const [to, from] = context.addresses(out, bias);
    binaryInPlace(context, to, out.shape, from, bias.shape, BINARY.add);
  }
  if (!relu) activate(context, out, given);
  return out;
}

/** Applies the activation in place. */
function activate(context: KernelContext, out: Tensor, given: Activation): void {
  const { activation, preluActivationWeights: weights, leakyreluAlpha = 0.2 } = given;
  if (activation == null || activation === 'linear') return;
  const address = context.address(out);
  if (activation === 'prelu') {
    binaryInPlace(context, address, out.shape, context.address(weights!), weights!.shape, BINARY.prelu);
  } else context.module.unary(CODES[activation]!, address, address, sizeOf(out), leakyreluAlpha, 0);
}

/** The address of a bias with one number for each channel of the last axis, 0 without a bias; otherwise undefined. */
export function channelBias(
  context: KernelContext,
  bias: Tensor | undefined,
  channels: number,
): Address | undefined {
  if (bias === undefined) return 0;
  return sizeOf(bias) === channels && bias.shape.at(-1) === channels ? context.address(bias) : undefined;
}
