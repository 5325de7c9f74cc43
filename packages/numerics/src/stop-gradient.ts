import * as tf from '@tensorflow/tfjs-core';

/**
 * The same values, as a tensor through which no gradient flows: what it was computed from gets none from here, rather
 * than zeros. It shares the data, and belongs to the caller.
 */
export function stopGradient<Value extends tf.Tensor>(tensor: Value): Value {
  const { dataId, shape, dtype } = tensor;
  // Every kernel is recorded on the tape, also the one of `tf.clone`; a new tensor for the same data is not.
  // The backend that has the data need not be the active one.
  (tf.engine().state.tensorInfo.get(dataId)?.backend ?? tf.backend()).incRef(dataId);
  return tf.engine().makeTensorFromTensorInfo({ dataId, shape, dtype }) as Value;
}
