import { parameterPaths } from '@hookline/layer-taps';
import { encodeSafetensors, parseSafetensors } from '@hookline/safetensors';
import { io, tensor } from '@tensorflow/tfjs-core';
import { type LayersModel, loadLayersModel } from '@tensorflow/tfjs-layers';

/** A model in one file: its weights by path, and its layers in the metadata. */
export function modelFile(model: LayersModel): Uint8Array {
  const tensors = Object.fromEntries(
    parameterPaths(model).map(({ path, variable }) => {
      const value = variable.read();
      return [path, { dtype: 'F32' as const, shape: value.shape, data: value.dataSync() as Float32Array }];
    }),
  );
  return encodeSafetensors(tensors, { metadata: { model: JSON.stringify(model.toJSON(undefined, false)) } });
}

/** The model that a file holds; in Node as in a browser. */
export async function modelOf(file: Uint8Array): Promise<LayersModel> {
  const { metadata, tensors } = parseSafetensors(file);
  const model = await loadLayersModel(io.fromMemory({ modelTopology: JSON.parse(metadata.get('model')!) }));
  for (const { path, variable } of parameterPaths(model)) {
    const { data, shape } = tensors.get(path)!;
    const value = tensor(data as Float32Array, [...shape]);
    variable.write(value);
    value.dispose();
  }
  return model;
}
