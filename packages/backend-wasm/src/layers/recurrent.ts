import * as tf from '@tensorflow/tfjs-core';
import { fusedOperation, runMany, runOne } from '../engine/operations.js';
import {
  GRU,
  GRU_GRADIENT,
  LSTM,
  LSTM_GRADIENT,
  SUM_OF_PRODUCTS,
  SUM_OF_SUMS,
} from '../kernels/recurrent.js';
import type { FusableLayer, Kwargs, LayerFusion, LayerVariable } from './layer-fusion.js';

type Activation = { getClassName(): string };

type Four = [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];

interface RecurrentLayer extends FusableLayer {
  readonly stateful: boolean;
  readonly goBackwards: boolean;
  readonly returnSequences: boolean;
  readonly returnState: boolean;
  readonly cell: {
    readonly units: number;
    readonly dropout: number;
    readonly recurrentDropout: number;
    readonly activation: Activation;
    readonly recurrentActivation: Activation;
    readonly kernel: LayerVariable;
    readonly recurrentKernel: LayerVariable;
    readonly bias: LayerVariable | null;
  };
}

/** The whole sequence in one operation, instead of some sixty for each step. */
export const FUSED_LSTM: LayerFusion<RecurrentLayer> = {
  className: 'LSTM',
  call: (layer, x, kwargs) => {
    if (!isPlain(layer, x, kwargs)) return undefined;
    const parts = partsOf(layer);
    return sequence(layer, x, parts, {
      forward: (inputs) => {
        const [gates, cells, hidden, squashed] = runMany(LSTM, inputs, attrsOf(layer)) as Four;
        return { hidden, saved: [gates, hidden, cells, squashed] };
      },
      backward: (dy, recurrent, saved) => {
        const [gates, hidden, cells, squashed] = saved as Four;
        const dGates = runOne(
          LSTM_GRADIENT,
          { dy, gates, hidden, cells, squashed, recurrent },
          attrsOf(layer),
        );
        return { dGates, ofRecurrent: () => products(hidden, dGates) };
      },
    });
  },
};

export const FUSED_GRU: LayerFusion<RecurrentLayer> = {
  className: 'GRU',
  call: (layer, x, kwargs) => {
    if (!isPlain(layer, x, kwargs)) return undefined;
    const parts = partsOf(layer);
    const { units } = layer.cell;
    return sequence(layer, x, parts, {
      forward: (inputs) => {
        const [gates, hidden, reset] = runMany(GRU, inputs, attrsOf(layer)) as [
          tf.Tensor,
          tf.Tensor,
          tf.Tensor,
        ];
        return { hidden, saved: [gates, hidden, reset] };
      },
      backward: (dy, recurrent, [gates, hidden, reset]) => {
        const inputs = { dy, gates: gates!, hidden: hidden!, recurrent };
        const dGates = runOne(GRU_GRADIENT, inputs, attrsOf(layer));
        const ofRecurrent = () => {
          const ofGates = products(hidden!, dGates, 0, 2 * units);
          return tf.concat([ofGates, products(reset!, dGates, 2 * units, 3 * units)], 1);
        };
        return { dGates, ofRecurrent };
      },
    });
  },
};

interface Steps {
  forward(inputs: tf.NamedTensorMap): { hidden: tf.Tensor; saved: tf.Tensor[] };
  backward(
    dy: tf.Tensor,
    recurrent: tf.Tensor,
    saved: tf.Tensor[],
  ): { dGates: tf.Tensor; ofRecurrent: () => tf.Tensor };
}

interface Parts {
  readonly kernel: tf.Tensor;
  readonly recurrent: tf.Tensor;
  readonly bias: tf.Tensor | undefined;
}

/** What LSTM and GRU share: the steps work on tensors with time as the first axis. */
function sequence(
  layer: RecurrentLayer,
  x: tf.Tensor,
  { kernel, recurrent, bias }: Parts,
  steps: Steps,
): tf.Tensor {
  const { goBackwards, returnSequences } = layer;
  const timeFirst = (tensor: tf.Tensor) => tf.transpose(tensor, [1, 0, 2]);
  const inOrder = (tensor: tf.Tensor) => (goBackwards ? tf.reverse(tensor, 0) : tensor);
  const weights = bias ? { kernel, recurrent, bias } : { kernel, recurrent };
  return fusedOperation(
    { x, ...weights },
    (save) => {
      const inputs = inOrder(timeFirst(x));
      const { hidden, saved } = steps.forward({ x: inputs, ...weights });
      save([inputs, kernel, recurrent, ...saved]);
      const [time, batch, units] = hidden.shape as [number, number, number];
      if (returnSequences) return timeFirst(tf.slice(hidden, [1, 0, 0], [time - 1, batch, units]));
      return tf.reshape(tf.slice(hidden, [time - 1, 0, 0], [1, batch, units]), [batch, units]);
    },
    (dy, [inputs, savedKernel, savedRecurrent, ...saved]) => {
      const arriving = returnSequences ? timeFirst(dy) : dy;
      const { dGates, ofRecurrent } = steps.backward(arriving, savedRecurrent!, saved);
      return {
        x: () =>
          timeFirst(inOrder(tf.reshape(tf.matMul(flat(dGates), savedKernel!, false, true), inputs!.shape))),
        kernel: () => products(inputs!, dGates),
        recurrent: ofRecurrent,
        bias: () => runOne(SUM_OF_SUMS, { x: dGates }),
      };
    },
  );
}

/** Dropout, masks, states that are kept or given, other activations and a cell with a tap are left to tfjs. */
function isPlain(layer: RecurrentLayer, x: tf.Tensor, kwargs: Kwargs): boolean {
  const { cell, stateful, returnState } = layer;
  if (x.rank !== 3 || x.size === 0 || stateful || returnState || Object.hasOwn(cell, 'call')) return false;
  if (kwargs?.mask != null || kwargs?.initialState != null || cell.dropout || cell.recurrentDropout)
    return false;
  const gates = cell.recurrentActivation.getClassName();
  return cell.activation.getClassName() === 'tanh' && (gates === 'sigmoid' || gates === 'hardSigmoid');
}

function partsOf({ cell }: RecurrentLayer): Parts {
  return { kernel: cell.kernel.read(), recurrent: cell.recurrentKernel.read(), bias: cell.bias?.read() };
}

function attrsOf({ cell }: RecurrentLayer): { units: number; hard: boolean } {
  return { units: cell.units, hard: cell.recurrentActivation.getClassName() === 'hardSigmoid' };
}

/** [time, batch, n] as rows. */
function flat(tensor: tf.Tensor): tf.Tensor2D {
  return tf.reshape(tensor, [-1, tensor.shape.at(-1)!]);
}

/** What each step has in `a` times what it has in these columns of `b`, added up. */
function products(a: tf.Tensor, b: tf.Tensor, from = 0, to: number = b.shape[2]!): tf.Tensor {
  return runOne(SUM_OF_PRODUCTS, { a, b }, { from, to });
}
