import * as tf from '@tensorflow/tfjs-core';

const CORRECTED: unique symbol = Symbol.for('hookline.cpu-cast');

/** What the cpu backend of tfjs has. */
interface CpuBackend {
  data: { get(dataId: object): { values?: unknown } };
  disposeIntermediateTensorInfo(tensor: tf.TensorInfo): void;
  makeTensorInfo(shape: number[], dtype: tf.DataType, values: tf.backend_util.TypedArray): tf.TensorInfo;
}

type Cast = tf.KernelFunc & { [CORRECTED]?: true };

/**
 * Makes `tf.cast` on cpu convert the data. In stock tfjs the result is labelled float32 but shares the int32 data, and when
 * that moves to another backend its bits are read as floats: targets that were made on cpu are then all 0. Does nothing
 * where the cpu backend is not loaded; a second call changes nothing.
 */
export function castToOwnData(): void {
  const stock = tf.getKernel(tf.Cast, 'cpu');
  if (!stock || (stock.kernelFunc as Cast)[CORRECTED]) return;
  const cast: Cast = (args) => {
    const result = stock.kernelFunc(args) as tf.TensorInfo;
    const { x } = args.inputs as { x: tf.TensorInfo };
    if (result.dataId !== x.dataId || result.dtype === x.dtype) return result;
    const backend = args.backend as CpuBackend;
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
