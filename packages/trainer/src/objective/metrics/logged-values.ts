import type { LogValues } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';

/** Scalars by name, without prefix. */
export type Logged = Readonly<Record<string, tf.Scalar>>;

/** What most batches log. */
export const NOTHING_LOGGED: Logged = {};

/** Collects what a loss or a module logs in the course of one batch; the last value of a name counts. */
export class LoggedValues {
  #values: Record<string, tf.Scalar> | undefined;

  readonly log: LogValues = (values) => {
    for (const [name, value] of Object.entries(values)) {
      checkName(name);
      const scalar = scalarOf(name, value);
      this.#values ??= {};
      this.#values[name]?.dispose();
      this.#values[name] = tf.keep(scalar);
    }
  };

  /** They belong to the caller from now on. */
  take(): Logged {
    const values = this.#values ?? NOTHING_LOGGED;
    this.#values = undefined;
    return values;
  }

  dispose(): void {
    tf.dispose(this.take());
  }
}

/** Always a new tensor: the one that is given may be disposed at any time. */
function scalarOf(name: string, value: unknown): tf.Scalar {
  if (typeof value === 'number') return tf.scalar(value);
  if (isTensor(value) && value.size === 1) return tf.tidy(() => tf.reshape(tf.clone(value), []));
  const given = isTensor(value) ? `a tensor of shape [${value.shape}]` : typeof value;
  throw trainerError(
    'BAD_METRIC',
    `log was given ${given} for "${name}", expected one number or a tensor of one. Log tf.mean(...) of it.`,
  );
}

function checkName(name: string): void {
  const [prefix] = name.split('/');
  if (name === 'loss') {
    throw trainerError(
      'BAD_METRIC',
      'log was given "loss", which is the name of the loss itself. Rename it.',
    );
  }
  if (name !== prefix && ['train', 'val', 'test'].includes(prefix!)) {
    throw trainerError(
      'BAD_METRIC',
      `log was given "${name}". The prefix is added: log "${name.slice(prefix!.length + 1)}", which becomes train/*, val/* or test/*.`,
    );
  }
}
