import type { KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { lstmRooms } from './lstm-rooms.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const LSTM = 'HooklineLstm';
export const LSTM_GRADIENT = 'HooklineLstmGradient';
export const GRU = 'HooklineGru';
export const GRU_GRADIENT = 'HooklineGruGradient';
export const SUM_OF_PRODUCTS = 'HooklineSumOfProducts';
export const SUM_OF_SUMS = 'HooklineSumOfSums';

/** `x` is [time, batch, features]; `recurrent` the weights of the hidden state, [units, gates * units]. */
interface Forward {
  x: Tensor;
  kernel: Tensor;
  recurrent: Tensor;
  bias?: Tensor;
}

interface Attrs {
  /** Whether the gates have a hard sigmoid. */
  hard: boolean;
  units: number;
}

/** `dy` is the gradient of the hidden states of all steps, [time, batch, units], or of the last one alone. */
interface Backward {
  dy: Tensor;
  gates: Tensor;
  hidden: Tensor;
  recurrent: Tensor;
}

export const RECURRENT_KERNELS: readonly TrainingKernel[] = [
  // Gates, cells and hidden states of every step; the last two with the first state in front. And tanh of the cells.
  kernel<Forward, Attrs>(LSTM, 'added', (context, inputs, { units, hard }) => {
    const [time, batch] = inputs.x.shape as [number, number, number];
    const gates = projected(context, inputs, 4 * units, false);
    const [cells, hidden] = [states(context, time, batch, units), states(context, time, batch, units)];
    const squashed = context.output([time, batch, units]);
    const bias = inputs.bias ? context.address(inputs.bias) : 0;
    const inner = context.scratch('inner', context.threads * lstmRooms(units).inner);
    const packed = context.scratch('packed', context.threads * lstmRooms(units).packed);
    // biome-ignore format: the order of lstm.
    context.module.lstm(context.address(gates), context.address(inputs.recurrent), bias, context.address(cells), context.address(hidden), context.address(squashed), inner, packed, time, batch, units, hard, batch);
    return [gates, cells, hidden, squashed];
  }),

  kernel<Backward & { cells: Tensor; squashed: Tensor }, Attrs>(
    LSTM_GRADIENT,
    'added',
    (context, { gates, recurrent, cells, squashed, dy }, { units, hard }) => {
      const [time, batch] = gates.shape as [number, number, number];
      const dGates = context.output(gates.shape);
      const arrived = arriving(context, dy, time, batch, units);
      const [dh, dc] = [zeroed(context, 'dh', batch * units), zeroed(context, 'dc', batch * units)];
      const packed = context.scratch('packed', context.threads * lstmRooms(units).packedBack);
      // biome-ignore format: the order of lstmGradient.
      context.module.lstmGradient(context.address(gates), context.address(recurrent), context.address(cells), context.address(squashed), arrived, dh, dc, context.address(dGates), packed, time, batch, units, hard, batch);
      return dGates;
    },
  ),

  // Gates, hidden states with the first one in front, and hidden states times the reset gate.
  kernel<Forward, Attrs>(GRU, 'added', (context, inputs, { units, hard }) => {
    const [time, batch] = inputs.x.shape as [number, number, number];
    const gates = projected(context, inputs, 3 * units, true);
    const hidden = states(context, time, batch, units);
    const reset = context.output([time, batch, units]);
    const { pair, candidate } = splitWeights(context, context.address(inputs.recurrent), units);
    const inner = context.scratch('inner', batch * 2 * units);
    // biome-ignore format: the order of gru.
    context.module.gru(context.address(gates), pair, candidate, context.address(hidden), context.address(reset), inner, time, batch, units, hard, batch);
    return [gates, hidden, reset];
  }),

  kernel<Backward, Attrs>(GRU_GRADIENT, 'added', (context, inputs, { units, hard }) => {
    const { gates, recurrent, hidden, dy } = inputs;
    const [time, batch] = gates.shape as [number, number, number];
    const dGates = context.output(gates.shape);
    const arrived = arriving(context, dy, time, batch, units);
    const { pair, candidate } = splitWeights(context, context.address(recurrent), units);
    const dh = zeroed(context, 'dh', batch * units);
    const [inner, both] = [context.scratch('inner', batch * units), context.scratch('both', batch * units)];
    // biome-ignore format: the order of gruGradient.
    context.module.gruGradient(context.address(gates), pair, candidate, context.address(hidden), arrived, dh, context.address(dGates), inner, both, time, batch, units, hard, batch);
    return dGates;
  }),

  // Gradients of weights: the products of all steps, and of the bias: the sums of all steps.
  kernel<{ a: Tensor; b: Tensor }, Columns>(SUM_OF_PRODUCTS, 'added', (context, { a, b }, { from, to }) => {
    const [time, batch, width] = b.shape as [number, number, number];
    const [m, n] = [a.shape[2]!, to - from];
    const out = context.output([m, n]);
    const spare = context.scratch('spare', m * n);
    // `a` has one step more, the states after the last one, which is not used.
    // biome-ignore format: the order of sumOfProducts.
    context.module.sumOfProducts(context.address(a), m, context.address(b) + from * 4, width, context.address(out), spare, time, batch, m, n);
    return out;
  }),

  kernel<{ x: Tensor }>(SUM_OF_SUMS, 'added', (context, { x }) => {
    const [time, batch, width] = x.shape as [number, number, number];
    const out = context.output([width]);
    const spare = context.scratch('spare', width);
    context.module.sumOfSums(context.address(x), context.address(out), spare, time, batch, width);
    return out;
  }),
];

/** The columns of b that are multiplied. */
interface Columns {
  from: number;
  to: number;
}

/** x times its weights, for all steps at once. A GRU adds the bias here, an LSTM later. */
function projected(
  context: KernelContext,
  { x, kernel, bias }: Forward,
  width: number,
  withBias: boolean,
): Tensor {
  const [time, batch, features] = x.shape as [number, number, number];
  const out = context.output([time, batch, width]);
  const inBias = bias && withBias ? context.address(bias) : 0;
  // biome-ignore format: the order of matMul.
  context.module.matMul(context.address(x), false, context.address(kernel), false, context.address(out), time * batch, width, features, inBias, false, 1, 0, 0);
  return out;
}

function states(context: KernelContext, time: number, batch: number, units: number): Tensor {
  const out = context.output([time + 1, batch, units]);
  context.module.fill(context.address(out), batch * units, 0);
  return out;
}

function arriving(context: KernelContext, dy: Tensor, time: number, batch: number, units: number): Address {
  if (dy.shape.length === 3) return context.address(dy);
  const out = zeroed(context, 'arriving', time * batch * units);
  const last = out + (time - 1) * batch * units * 4;
  context.module.copyStrided(context.address(dy), last, 1, 1, 1, batch * units, 0, 0, 0, 1, 0, 0, 0, 1);
  return out;
}

function zeroed(context: KernelContext, name: string, floats: number): Address {
  const address = context.scratch(name, floats);
  context.module.fill(address, floats, 0);
  return address;
}

/** The weights of a GRU [units, 3 units]: those of its two gates, and those of its candidate. */
function splitWeights(
  context: KernelContext,
  weights: Address,
  units: number,
): { pair: Address; candidate: Address } {
  const pair = context.scratch('gate-weights', units * 2 * units);
  const candidate = context.scratch('candidate-weights', units * units);
  const { module } = context;
  module.copyStrided(weights, pair, 1, 1, units, 2 * units, 0, 0, 3 * units, 1, 0, 0, 2 * units, 1);
  // biome-ignore format: the order of copyStrided.
  module.copyStrided(weights + 2 * units * 4, candidate, 1, 1, units, units, 0, 0, 3 * units, 1, 0, 0, units, 1);
  return { pair, candidate };
}
