import * as tf from '@tensorflow/tfjs-core';
import { TfjsCorrectionsError } from '../errors.js';

const COMPLEX =
  'tfjs cannot hold the gradient of complex numbers. Compute with two real tensors instead: the discrete Fourier ' +
  'transform is tf.matMul with a matrix of cosines for the real part and one of sines for the imaginary part.';
const TWICE = 'It has a first derivative only.';

/** Operations without a gradient here; tfjs says only that it found no function, and not what to do. */
export const REFUSED_GRADIENTS: readonly tf.GradConfig[] = [
  refused(tf.FFT, 'tf.spectral.fft', COMPLEX),
  refused(tf.IFFT, 'tf.spectral.ifft', COMPLEX),
  refused(tf.Complex, 'complex numbers (tf.complex, tf.spectral, tf.signal.stft)', COMPLEX),
  refused(tf.Real, 'tf.real', COMPLEX),
  refused(tf.Imag, 'tf.imag', COMPLEX),
  refused(tf.LRNGrad, 'the gradient of tf.localResponseNormalization', `${TWICE} Use another normalisation.`),
  refused(
    tf.Dilation2DBackpropInput,
    'the gradient of tf.dilation2d',
    `${TWICE} Use tf.maxPool where it will do.`,
  ),
  refused(
    tf.Dilation2DBackpropFilter,
    'the gradient of tf.dilation2d',
    `${TWICE} Use tf.maxPool where it will do.`,
  ),
  refused(
    tf.RaggedGather,
    'tf.raggedGather',
    'Use tf.gather of rows that are padded to one length, and a mask.',
  ),
  refused(
    tf.RaggedTensorToTensor,
    'tf.raggedTensorToTensor',
    'Use tf.scatterND with the places of the values, which has a gradient.',
  ),
];

/** An error that says what the gradient would go through, why that fails, and what to use instead. */
export function noGradient(operation: string, advice: string): TfjsCorrectionsError {
  return new TfjsCorrectionsError(
    'NO_GRADIENT',
    `A gradient goes through ${operation}, which has none here. ${advice} If nothing should be trained through it, compute ` +
      'it outside of the function whose gradient you take.',
  );
}

function refused(kernelName: string, operation: string, advice: string): tf.GradConfig {
  return {
    kernelName,
    gradFunc: () => {
      throw noGradient(operation, advice);
    },
  };
}
