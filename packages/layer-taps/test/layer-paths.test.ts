import { input, type LayersModel, layers, model, models, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { layerPaths } from '../src/index.js';
import { Attention, buildOtherModels, mlp, ZOO_PATHS, zoo } from './models.js';

const pathsOf = (someModel: LayersModel): string[] => [...layerPaths(someModel).keys()];

describe('layer paths', () => {
  it('number the layers of a Sequential by class and position', () => {
    expect(pathsOf(mlp())).toEqual(['dense_1', 'dense_2', 'dense_3']);
  });

  it('reach into nested models, wrappers and RNN cells, parents first, shared layers once', () => {
    expect(pathsOf(zoo())).toEqual(ZOO_PATHS);
  });

  it('lead to the layer itself', () => {
    const zooModel = zoo();
    const paths = layerPaths(zooModel);
    const bidi = zooModel.getLayer('bidi') as unknown as { forwardLayer: { cell: unknown } };
    expect(paths.get('bidi/forward/cell')).toBe(bidi.forwardLayer.cell);
    expect(paths.get('out')).toBe(zooModel.getLayer('out'));
    expect(new Set(paths.values()).size).toBe(paths.size);
  });

  it('stay the same however many models were built before', () => {
    buildOtherModels();
    expect(pathsOf(mlp())).toEqual(['dense_1', 'dense_2', 'dense_3']);
    expect(pathsOf(zoo())).toEqual(ZOO_PATHS);
  });

  it('stay the same for a model that is loaded from its JSON', async () => {
    const json = zoo().toJSON(null, false) as never;
    buildOtherModels();
    expect(pathsOf(await models.modelFromJSON({ modelTopology: json }))).toEqual(ZOO_PATHS);
  });

  it('keep the names that the user gave and skip them when numbering', () => {
    const someModel = sequential({
      layers: [
        layers.dense({ units: 1, inputShape: [1] }),
        layers.dense({ units: 1, name: 'dense_2' }),
        layers.dense({ units: 1, name: 'Head' }),
        layers.dense({ units: 1 }),
      ],
    });
    expect(pathsOf(someModel)).toEqual(['dense_1', 'dense_2', 'Head', 'dense_3']);
  });

  it('count each class for itself, in the spelling that Keras uses', () => {
    const someModel = sequential({
      layers: [
        layers.convLstm2d({
          filters: 1,
          kernelSize: 2,
          inputShape: [2, 4, 4, 1],
          recurrentInitializer: 'zeros',
        }),
        layers.conv2d({ filters: 1, kernelSize: 2 }),
        layers.conv2dTranspose({ filters: 1, kernelSize: 2 }),
        layers.batchNormalization(),
        layers.reLU(),
        layers.batchNormalization(),
        layers.globalAveragePooling2d({ dataFormat: 'channelsLast' }),
      ],
    });
    expect(pathsOf(someModel)).toEqual([
      'conv_lstm2d_1',
      'conv_lstm2d_1/cell',
      'conv2d_1',
      'conv2d_transpose_1',
      'batch_normalization_1',
      're_lu_1',
      'batch_normalization_2',
      'global_average_pooling2d_1',
    ]);
  });

  it('number nested models without a name too, and start from one inside each', () => {
    const x = input({ shape: [1] });
    const inner = () => sequential({ layers: [layers.dense({ units: 1, inputShape: [1] })] });
    const functional = () => {
      const y = input({ shape: [1] });
      return model({ inputs: y, outputs: layers.dense({ units: 1 }).apply(y) as never });
    };
    let h = x as unknown;
    for (const part of [inner(), functional(), inner(), functional()]) h = part.apply(h as never);
    expect(pathsOf(model({ inputs: x, outputs: h as never }))).toEqual([
      'sequential_1',
      'sequential_1/dense_1',
      'model_1',
      'model_1/dense_1',
      'sequential_2',
      'sequential_2/dense_1',
      'model_2',
      'model_2/dense_1',
    ]);
  });

  it('name a layer that two nested models share where it is met first', () => {
    const tied = layers.dense({ units: 1 });
    const nested = (name: string) => {
      const y = input({ shape: [1] });
      return model({ inputs: y, outputs: tied.apply(y) as never, name });
    };
    const x = input({ shape: [1] });
    const both = model({ inputs: x, outputs: nested('b').apply(nested('a').apply(x)) as never });
    expect(pathsOf(both)).toEqual(['a', 'a/dense_1', 'b']);
  });

  it('name the layers inside a custom layer by their property', () => {
    const x = input({ shape: [3] });
    const someModel = model({ inputs: x, outputs: new Attention({ name: 'attention' }).apply(x) as never });
    expect(pathsOf(someModel)).toEqual(['attention', 'attention/query', 'attention/key']);
  });

  it('leave out input layers', () => {
    const someModel = sequential({
      layers: [layers.inputLayer({ inputShape: [2] }), layers.dense({ units: 1 })],
    });
    expect(pathsOf(someModel)).toEqual(['dense_1']);
  });

  it('refuse a model in which two layers would have the same path', () => {
    const x = input({ shape: [1] });
    const nested = sequential({
      name: 'a',
      layers: [layers.dense({ units: 1, inputShape: [1], name: 'b' })],
    });
    const slashed = layers.dense({ units: 1, name: 'a/b' });
    const clash = model({ inputs: x, outputs: slashed.apply(nested.apply(x)) as never });
    expect(() => layerPaths(clash)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_PATH', message: expect.stringContaining('"a/b"') }),
    );
  });

  it('refuse what is not a LayersModel', () => {
    for (const value of [{}, null, layers.dense({ units: 1 })]) {
      expect(() => layerPaths(value as never)).toThrow(expect.objectContaining({ code: 'NOT_A_MODEL' }));
    }
  });
});
