import * as tf from '@tensorflow/tfjs-core';

/**
 * Stock on cpu: the kernel computes the gradient rightly and then says that its width is its height, so that images
 * that are not square cannot be trained through.
 */
export const MENDED_RESIZE_BILINEAR_GRADIENT: tf.GradConfig = {
  kernelName: tf.ResizeBilinear,
  inputsToSave: ['images'],
  gradFunc: (dy, [images], attrs) => ({
    images: () => {
      const inputs = { dy: dy as tf.Tensor, images: images! };
      const gradient: tf.Tensor = tf.engine().runKernel(tf.ResizeBilinearGrad, inputs, attrs);
      return tf.reshape(gradient, images!.shape);
    },
  }),
};
