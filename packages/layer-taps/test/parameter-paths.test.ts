import { input, type LayersModel, layers, model, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { layerPaths, parameterPaths } from '../src/index.js';
import { Attention, buildOtherModels, ClosedAttention, mlp, zoo } from './models.js';

const pathsOf = (someModel: LayersModel): string[] => parameterPaths(someModel).map(({ path }) => path);

/** Ids tell two variables of the same shape and value apart. */
const identities = (someModel: LayersModel) =>
  parameterPaths(someModel).map(({ path, variable }) => ({ path, id: variable.id }));

const cell = (path: string) => ['kernel', 'recurrent_kernel', 'bias'].map((name) => `${path}/${name}`);

const ZOO_PARAMETERS = [
  'td/layer/kernel',
  'td/layer/bias',
  ...cell('bidi/forward/cell'),
  ...cell('bidi/backward/cell'),
  ...cell('rnn_1/cell/cell_1'),
  ...cell('rnn_1/cell/cell_2'),
  ...cell('lstm_1/cell'),
  'encoder/dense_1/kernel',
  'encoder/dense_1/bias',
  'encoder/dense_2/kernel',
  'encoder/dense_2/bias',
  'dense_1/kernel',
  'dense_1/bias',
  'batch_normalization_1/gamma',
  'batch_normalization_1/beta',
  'batch_normalization_1/moving_mean',
  'batch_normalization_1/moving_variance',
  'out/kernel',
  'out/bias',
];

describe('parameter paths', () => {
  it('name every weight under the layer that made it, in definition order', () => {
    expect(pathsOf(zoo())).toEqual(ZOO_PARAMETERS);
  });

  it('hold exactly the weights of the model, each once', () => {
    const someModel = zoo();
    const variables = parameterPaths(someModel).map(({ variable }) => variable);
    expect(variables).toHaveLength(someModel.weights.length);
    expect(new Set(variables)).toEqual(new Set(someModel.weights));
  });

  it('say which layer owns the weight', () => {
    const someModel = zoo();
    const layers = layerPaths(someModel);
    for (const { path, variable, layer, layerPath } of parameterPaths(someModel)) {
      expect(layers.get(layerPath)).toBe(layer);
      expect(layer.weights).toContain(variable);
      expect(path.startsWith(`${layerPath}/`)).toBe(true);
    }
  });

  it('stay the same however many models were built before', () => {
    buildOtherModels();
    expect(pathsOf(zoo())).toEqual(ZOO_PARAMETERS);
  });

  it('lead to the same variables in the same order after layers are frozen and thawed', () => {
    const someModel = zoo();
    const before = identities(someModel);
    const [td, bidi, , lstm, encoder, , normalization] = someModel.layers.slice(1);
    for (const layer of [td, bidi, lstm, encoder, normalization]) {
      layer!.trainable = false;
      expect(identities(someModel)).toEqual(before);
    }
    someModel.trainable = false;
    expect(identities(someModel)).toEqual(before);
    for (const layer of someModel.layers) layer.trainable = true;
    someModel.trainable = true;
    expect(identities(someModel)).toEqual(before);
  });

  it('keep definition order where tfjs puts trainable weights first', () => {
    const someModel = mlp();
    someModel.layers[0]!.trainable = false;
    const paths = pathsOf(someModel);
    expect(paths.slice(0, 2)).toEqual(['dense_1/kernel', 'dense_1/bias']);
    const firstOfTfjs = parameterPaths(someModel).find(({ variable }) => variable === someModel.weights[0]);
    expect(firstOfTfjs?.path).toBe('dense_2/kernel');
  });

  it('keep the parts of a custom layer apart', () => {
    const x = input({ shape: [3] });
    const someModel = model({ inputs: x, outputs: new Attention({ name: 'attention' }).apply(x) as never });
    expect(pathsOf(someModel)).toEqual([
      'attention/query/kernel',
      'attention/query/bias',
      'attention/key/kernel',
      'attention/key/bias',
    ]);
  });

  it('stay unique when a custom layer hides its parts, frozen or not', () => {
    const x = input({ shape: [3] });
    const attention = new ClosedAttention({ name: 'attention' });
    const someModel = model({ inputs: x, outputs: attention.apply(x) as never });
    const before = identities(someModel);
    expect(before.map(({ path }) => path)).toEqual([
      'attention/kernel',
      'attention/bias',
      'attention/kernel_2',
      'attention/bias_2',
    ]);
    attention.hidden[0]!.trainable = false;
    expect(identities(someModel)).toEqual(before);
  });

  it('need no call of build on a Sequential that has its layers', () => {
    const someModel = mlp();
    expect(someModel.built).toBe(false);
    expect(pathsOf(someModel)).toHaveLength(6);
  });

  it('are refused for a model that has no layers yet', () => {
    expect(() => parameterPaths(sequential({ name: 'empty' }))).toThrow(
      expect.objectContaining({ code: 'MODEL_NOT_BUILT', message: expect.stringContaining('"empty"') }),
    );
  });

  it('are empty for a model without weights', () => {
    expect(parameterPaths(sequential({ layers: [layers.flatten({ inputShape: [2, 2] })] }))).toEqual([]);
  });
});
