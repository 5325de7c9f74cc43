import { digitsModel } from '@hookline/example-digits/src/digits-model.js';
import { useBackend, weightsOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { modelFile, modelOf } from '../src/model-file.js';

useBackend('cpu');

test('the file of a model gives the same model again, to the bit', async () => {
  const model = digitsModel();
  const again = await modelOf(modelFile(model));
  expect(again.layers.map(({ name }) => name)).toEqual(model.layers.map(({ name }) => name));
  expect(weightsOf(again)).toEqual(weightsOf(model));
});
