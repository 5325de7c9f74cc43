import type { ForwardOptions } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import type { Parameters } from './parameters.js';
import { type Part, project } from './part.js';
import { type RelativePositions, relativePositions } from './relative-positions.js';

export interface AttentionOptions {
  /** Positions in a sequence. */
  length: number;
  /** Numbers in the residual stream at each position. */
  width: number;
  /** Numbers in a query, a key and a value. */
  headSize: number;
  /** One head for each: how much its attention falls, at first, with every step back. */
  slopes: readonly number[];
}

/** Causal attention. Each head has weights of its own and adds its own output, so that it can be looked at alone. */
export function attention(parameters: Parameters, path: string, options: AttentionOptions): Part {
  const heads = options.slopes.map((slope, index) =>
    head(parameters, `${path}/head_${index}`, slope, options),
  );
  return (x, forward) => {
    const positions = relativePositions(options.length);
    return heads.map((attend) => attend(x, positions, forward)).reduce((sum, output) => tf.add(sum, output));
  };
}

type Head = (x: tf.Tensor3D, positions: RelativePositions, forward: ForwardOptions) => tf.Tensor3D;

/** Tap points: `pattern` [sequences, to, from], whose rows add up to 1, and `output`, what the head adds. */
function head(parameters: Parameters, path: string, slope: number, options: AttentionOptions): Head {
  const { length, width, headSize } = options;
  const query = parameters.normal(`${path}/query`, [width, headSize], width ** -0.5);
  const key = parameters.normal(`${path}/key`, [width, headSize], width ** -0.5);
  const value = parameters.normal(`${path}/value`, [width, headSize], width ** -0.5);
  const output = parameters.normal(`${path}/output`, [headSize, width], 0.3 * headSize ** -0.5);
  const reach = parameters.values(`${path}/reach`, [length, 1], (distance) => -slope * distance);
  return (x, { distances, mask }, { tap }) => {
    const likeness = tf.matMul(project(x, tf.mul(query, headSize ** -0.5)), project(x, key), false, true);
    const nearness = tf.reshape(tf.matMul(distances, reach), [length, length]);
    const pattern = tap(`${path}/pattern`, tf.softmax(tf.add(likeness, tf.add(nearness, mask))));
    return tap(`${path}/output`, project(tf.matMul(pattern, project(x, value)), output));
  };
}
