import * as tf from '@tensorflow/tfjs-core';
import type { Parameters } from './parameters.js';
import { type Part, project } from './part.js';

/** Two layers, at each position for itself. Tap point: its path, what it adds. */
export function mlp(parameters: Parameters, path: string, width: number, hidden: number): Part {
  const into = parameters.normal(`${path}/into`, [width, hidden], width ** -0.5);
  const bias = parameters.values<tf.Rank.R1>(`${path}/bias`, [hidden], () => 0);
  const back = parameters.normal(`${path}/back`, [hidden, width], 0.3 * hidden ** -0.5);
  return (x, { tap }) => tap(path, project(tf.relu(tf.add(project(x, into), bias)), back));
}
