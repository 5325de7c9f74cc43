import type { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';

const CORRECTED: unique symbol = Symbol.for('hookline.trainer.cpu-cast');

type Cast = tf.KernelFunc & { [CORRECTED]?: true };

/**
 * Gives what `tf.cast` makes on cpu data of its own. That of tfjs says float32 of data that stays int32, and when the
 * data moves to another backend, its bits are read as floats: the targets that a program made before its run, all 0.
 */
export function castToOwnData(): void {
  const stock = tf.getKernel(tf.Cast, 'cpu');
  if (!stock || (stock.kernelFunc as Cast)[CORRECTED]) return;
  const cast: Cast = (args) => {
    const result = stock.kernelFunc(args) as tf.TensorInfo;
    const { x } = args.inputs as { x: tf.TensorInfo };
    if (result.dataId !== x.dataId || result.dtype === x.dtype) return result;
    const backend = args.backend as MathBackendCPU;
    const { values } = backend.data.get(x.dataId);
    const numbers = values as tf.backend_util.TypedArray;
    const own = result.dtype === 'float32' ? Float32Array.from(numbers) : Int32Array.from(numbers);
    backend.disposeIntermediateTensorInfo(result);
    return backend.makeTensorInfo(result.shape, result.dtype, own);
  };
  cast[CORRECTED] = true;
  tf.unregisterKernel(tf.Cast, 'cpu');
  tf.registerKernel({ ...stock, kernelFunc: cast });
}
