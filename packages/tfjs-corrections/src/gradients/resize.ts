import * as tf from '@tensorflow/tfjs-core';

/** The gradients of stock are wrong on cpu. */
export const MENDED_RESIZE_GRADIENTS: readonly tf.GradConfig[] = [
  {
    // The kernel computes the right gradient but reports its height as its width, so training fails on images that
    // are not square.
    kernelName: tf.ResizeBilinear,
    inputsToSave: ['images'],
    gradFunc: (dy, [images], attrs) => ({
      images: () => tf.reshape(run(tf.ResizeBilinearGrad, dy as tf.Tensor, images!, attrs), images!.shape),
    }),
  },
  {
    // The kernel is right for the first image only; for the others it reads the wrong part of the gradient. Here the
    // images of a batch become channels of one image.
    kernelName: tf.ResizeNearestNeighbor,
    inputsToSave: ['images'],
    gradFunc: (dy, [images], attrs) => ({
      images: () => {
        const batch = images!.shape[0]!;
        if (batch === 1 || tf.getBackend() !== 'cpu') {
          return run(tf.ResizeNearestNeighborGrad, dy as tf.Tensor, images!, attrs);
        }
        const one = run(tf.ResizeNearestNeighborGrad, joined(dy as tf.Tensor), joined(images!), attrs);
        const [, height, width, channels] = images!.shape as [number, number, number, number];
        return tf.transpose(tf.reshape(one, [height, width, batch, channels]), [2, 0, 1, 3]);
      },
    }),
  },
];

function joined(images: tf.Tensor): tf.Tensor {
  const [batch, height, width, channels] = images.shape as [number, number, number, number];
  return tf.reshape(tf.transpose(images, [1, 2, 0, 3]), [1, height, width, batch * channels]);
}

function run(kernel: string, dy: tf.Tensor, images: tf.Tensor, attrs: tf.NamedAttrMap): tf.Tensor {
  return tf.engine().runKernel(kernel, { dy, images }, attrs);
}
