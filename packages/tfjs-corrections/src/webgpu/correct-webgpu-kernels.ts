import * as tf from '@tensorflow/tfjs-core';

const BACKEND = 'webgpu';
const CORRECTED: unique symbol = Symbol.for('hookline.webgpu-kernel');

interface CastArgs {
  inputs: { x: tf.TensorInfo };
  attrs: { dtype: tf.DataType };
  backend: {
    makeTensorInfo(shape: number[], dtype: tf.DataType, values: Float32Array): tf.TensorInfo;
    disposeData(dataId: object): boolean;
  };
}

/**
 * Corrects the kernels of the webgpu backend that give wrong results without an error. Does nothing where that backend is not
 * loaded; a second call changes nothing.
 *
 * A cast of int32 or bool to float32 only changes the name of the type: the bits of 1 are read as a float close to 0,
 * and every model with a mask trains on the wrong elements. A product with a float converts its operands.
 */
export function correctWebgpuKernels(): void {
  if (tf.findBackendFactory(BACKEND) === null) return;
  const stock = tf.getKernel(tf.Cast, BACKEND);
  if (!stock || CORRECTED in stock.kernelFunc) return;
  const cast = (args: CastArgs): tf.TensorInfo => {
    const { inputs, attrs, backend } = args;
    const { x } = inputs;
    if (attrs.dtype !== 'float32' || (x.dtype !== 'int32' && x.dtype !== 'bool')) {
      return stock.kernelFunc(args as unknown as Parameters<tf.KernelFunc>[0]) as tf.TensorInfo;
    }
    const one = backend.makeTensorInfo([], 'float32', new Float32Array([1]));
    const multiply = tf.getKernel(tf.Multiply, BACKEND).kernelFunc;
    const inputsOf = { a: x, b: one };
    const result = multiply({ inputs: inputsOf, attrs: {}, backend: args.backend }) as tf.TensorInfo;
    backend.disposeData(one.dataId);
    return result;
  };
  const kernelFunc = Object.assign(cast as unknown as tf.KernelFunc, { [CORRECTED]: true });
  tf.unregisterKernel(tf.Cast, BACKEND);
  tf.registerKernel({ ...stock, kernelFunc });
}
