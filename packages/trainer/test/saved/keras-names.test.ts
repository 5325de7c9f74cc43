import { useBackend } from '@hookline/test-support';
import { completeChainedOps } from '@hookline/tfjs-corrections';
import {
  input,
  type LayersModel,
  layers,
  model,
  type SymbolicTensor,
  sequential,
} from '@tensorflow/tfjs-layers';
import { beforeAll, expect, test } from 'vitest';
import { kerasNames } from '../../src/saved/keras-names.js';

beforeAll(async () => {
  completeChainedOps();
  await useBackend();
});

function namesOf(built: LayersModel): string[] {
  return [...kerasNames(built).values()];
}

test('layers with a name keep it, the others are numbered as in a new Python process', () => {
  layers.dense({ units: 1 }); // other models of this process do not count
  const built = sequential({
    layers: [
      layers.conv2d({ inputShape: [8, 8, 1], filters: 4, kernelSize: 3, name: 'conv' }),
      layers.batchNormalization(),
      layers.flatten(),
      layers.dense({ units: 4, useBias: false }),
      layers.dense({ units: 2 }),
    ],
  });
  expect(namesOf(built)).toEqual([
    'conv/kernel',
    'conv/bias',
    'batch_normalization/gamma',
    'batch_normalization/beta',
    'batch_normalization/moving_mean',
    'batch_normalization/moving_variance',
    'dense/kernel',
    'dense_1/kernel',
    'dense_1/bias',
  ]);
});

test('cells, directions and wrapped layers are named as in Keras', () => {
  const built = sequential({
    layers: [
      layers.embedding({ inputDim: 20, outputDim: 4, inputLength: 6 }),
      layers.bidirectional({
        layer: layers.lstm({ units: 3, returnSequences: true, useBias: false }) as never,
        mergeMode: 'concat',
      }),
      layers.timeDistributed({ layer: layers.dense({ units: 3, useBias: false }) }),
      layers.gru({ units: 3, useBias: false }),
      layers.dense({ units: 1, useBias: false }),
    ],
  });
  expect(namesOf(built)).toEqual([
    'embedding/embeddings',
    'bidirectional/forward_lstm/lstm_cell/kernel',
    'bidirectional/forward_lstm/lstm_cell/recurrent_kernel',
    'bidirectional/backward_lstm/lstm_cell/kernel',
    'bidirectional/backward_lstm/lstm_cell/recurrent_kernel',
    'time_distributed/dense/kernel',
    'gru/gru_cell/kernel',
    'gru/gru_cell/recurrent_kernel',
    'dense_1/kernel',
  ]);
});

test('a shared layer and a nested model have one name for each weight', () => {
  const [a, b] = [input({ shape: [4] }), input({ shape: [4] })];
  const inner = sequential({
    name: 'inner',
    layers: [layers.dense({ units: 4, inputShape: [4], name: 'd' })],
  });
  const shared = layers.dense({ units: 2, name: 'shared' });
  const both = [a, b].map((each) => shared.apply(inner.apply(each)) as SymbolicTensor);
  const built = model({ inputs: [a, b], outputs: layers.add().apply(both) as SymbolicTensor });
  expect(namesOf(built)).toEqual(['inner/d/kernel', 'inner/d/bias', 'shared/kernel', 'shared/bias']);
});
