import * as tf from '@tensorflow/tfjs-core';
import { type CpuKernel, valuesOf } from './cpu-kernel.js';

/** Stock returns after the first image of a batch; the others are left empty. Here it transforms one image at a time. */
export const TRANSFORM: CpuKernel = {
  name: tf.Transform,
  correct: (stock) => (args) => {
    const { inputs, attrs, backend } = args;
    const { image, transforms } = inputs as { image: tf.TensorInfo; transforms: tf.TensorInfo };
    const [batch, height, width, channels] = image.shape as [number, number, number, number];
    const size = (attrs.outputShape as [number, number] | undefined) ?? [height, width];
    const out = new Float32Array(batch * size[0] * size[1] * channels);
    const part = (of: tf.TensorInfo, i: number) => {
      const each = tf.util.sizeFromShape(of.shape.slice(1));
      const values = valuesOf(backend, of).slice(i * each, (i + 1) * each);
      return backend.makeTensorInfo([1, ...of.shape.slice(1)], of.dtype, values);
    };
    for (let i = 0; i < batch; i++) {
      const one = { image: part(image, i), transforms: part(transforms, transforms.shape[0] === 1 ? 0 : i) };
      const result = stock({ ...args, inputs: one });
      out.set(valuesOf(backend, result), (i * out.length) / batch);
      for (const made of [one.image, one.transforms, result]) backend.disposeIntermediateTensorInfo(made);
    }
    return backend.makeTensorInfo([batch, ...size, channels], 'float32', out);
  },
};
