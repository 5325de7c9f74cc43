import { errorOf, regression, regressor, TEST_BACKEND, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { expectError, fitError } from '../support/fit-error.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const data = regression(8);

describe('the model', () => {
  test('something that is none', async () => {
    expectError(await fitError({ model: { predict: () => {} } }), 'BAD_MODEL', 'TrainableModule');
    expectError(await fitError({ model: () => 5 }), 'BAD_MODEL', 'LayersModel');
  });

  test('no trainable parameter: it cannot be trained, and can still be evaluated', async () => {
    const model = regressor();
    for (const layer of model.layers) layer.trainable = false;
    const trainer = quietTrainer({ model });
    expectError(await errorOf(trainer.fit({ train: data, epochs: 1 })), 'BAD_MODEL', 'trainable = true');
    expect(await trainer.test({ data })).toEqual({ 'test/loss': expect.any(Number) });
  });

  test('all parameters in frozen groups', async () => {
    const optimizer = { name: 'adam', groups: [{ params: '**', frozen: true }] };
    expectError(await fitError({ optimizer }), 'BAD_MODEL', 'unfrozen');
  });

  test('parameters of frozen layers need no optimizer', async () => {
    const model = regressor();
    model.layers[1]!.trainable = false;
    const trainer = quietTrainer({ model, optimizer: { name: 'sgd', params: 'hidden/*' } });
    expect((await trainer.fit({ train: data, epochs: 1 })).status).toBe('completed');
  });

  test('layers that were added after the first use are trained too', async () => {
    const model = tfl.sequential({ layers: [tfl.layers.dense({ units: 2, inputShape: [3] })] });
    tf.dispose(model.predict(tf.ones([1, 3])));
    model.add(tfl.layers.dense({ name: 'late', units: 1 }));
    const before = weightsOf(model);
    await quietTrainer({ model }).fit({ train: data, epochs: 1 });
    expect(weightsOf(model)[2]).not.toEqual(before[2]);
  });

  test('a factory that fails may be mended: the next call builds again', async () => {
    let attempts = 0;
    const trainer = quietTrainer({
      model: () => {
        if (attempts++ === 0) throw new Error('no file yet');
        return regressor();
      },
    });
    expect((await errorOf(trainer.ready())).message).toBe('no file yet');
    expect((await trainer.fit({ train: data, epochs: 1 })).status).toBe('completed');
  });
});
