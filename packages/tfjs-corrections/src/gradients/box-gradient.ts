import * as tf from '@tensorflow/tfjs-core';

/** The gradient of the boxes of a bilinear crop: how the crop changes as its edges move, as in TensorFlow. */
export function boxGradient(
  dy: tf.Tensor4D,
  image: tf.Tensor4D,
  boxes: tf.Tensor2D,
  boxInd: tf.Tensor1D,
  crop: (probe: tf.Tensor) => tf.Tensor,
): tf.Tensor {
  const [batch, height, width, channels] = image.shape;
  const [, cropHeight, cropWidth] = dy.shape;
  const [y1, x1, y2, x2] = tf.unstack(boxes, 1) as [tf.Tensor1D, tf.Tensor1D, tf.Tensor1D, tf.Tensor1D];
  const vertical = alongAxis(y1, y2, cropHeight, height);
  const horizontal = alongAxis(x1, x2, cropWidth, width);
  const pixels = tf.reshape(image, [batch * height * width, channels]);
  const corner = (rows: tf.Tensor, columns: tf.Tensor) => {
    const first = tf.mul(tf.reshape(boxInd, [-1, 1, 1]), tf.scalar(height, 'int32'));
    const row = tf.mul(tf.add(first, tf.expandDims(rows, 2)), tf.scalar(width, 'int32'));
    return tf.gather(pixels, tf.add(row, tf.expandDims(columns, 1)) as tf.Tensor3D);
  };
  const topLeft = corner(vertical.low, horizontal.low);
  const topRight = corner(vertical.low, horizontal.high);
  const bottomLeft = corner(vertical.high, horizontal.low);
  const bottomRight = corner(vertical.high, horizontal.high);
  const between = (a: tf.Tensor, b: tf.Tensor, share: tf.Tensor) => tf.add(a, tf.mul(tf.sub(b, a), share));
  const [down, right] = [reshaped(vertical.lerp, 1), reshaped(horizontal.lerp, 2)];
  // Outside of the image the crop is constant.
  const inside = tf.mul(dy, crop(tf.ones([batch, height, width, 1])));
  const rise = between(tf.sub(bottomLeft, topLeft), tf.sub(bottomRight, topRight), right);
  const run = between(tf.sub(topRight, topLeft), tf.sub(bottomRight, bottomLeft), down);
  const [inY1, inY2] = vertical.share(tf.sum(tf.mul(inside, rise), [2, 3]));
  const [inX1, inX2] = horizontal.share(tf.sum(tf.mul(inside, run), [1, 3]));
  return tf.stack([inY1, inX1, inY2, inX2], 1);
}

/** Where the pixels of a crop lie along one axis of the image, between which of its pixels, and how far. */
function alongAxis(begin: tf.Tensor1D, end: tf.Tensor1D, count: number, size: number) {
  const fractions = count === 1 ? tf.tensor1d([0.5]) : tf.div(tf.range(0, count), count - 1);
  const [near, far] = [tf.sub(1, fractions), fractions].map((part) => tf.expandDims(part, 0));
  const edges = [begin, end].map((edge) => tf.expandDims(edge, 1));
  const at = tf.mul(tf.add(tf.mul(edges[0]!, near!), tf.mul(edges[1]!, far!)), size - 1);
  const pixel = (place: tf.Tensor) => tf.cast(tf.clipByValue(place, 0, size - 1), 'int32');
  return {
    low: pixel(tf.floor(at)),
    high: pixel(tf.ceil(at)),
    lerp: tf.sub(at, tf.floor(at)),
    /** The gradients of both edges, from the gradient of each place. */
    share: (gradient: tf.Tensor): [tf.Tensor, tf.Tensor] => {
      const [ofBegin, ofEnd] = [near!, far!].map((part) =>
        tf.mul(tf.sum(tf.mul(gradient, part), 1), size - 1),
      );
      return [ofBegin!, ofEnd!];
    },
  };
}

/** [boxes, places] so that it broadcasts along this axis of the crops. */
function reshaped(x: tf.Tensor, axis: 1 | 2): tf.Tensor {
  const [boxes, places] = x.shape as [number, number];
  return tf.reshape(x, axis === 1 ? [boxes, places, 1, 1] : [boxes, 1, places, 1]);
}
