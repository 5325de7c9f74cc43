import { type EffectTable, patchingTable } from '@hookline/hook-activations';
import * as tf from '@tensorflow/tfjs-core';
import type { Transformer } from '../model/transformer.js';
import { batchOf, LETTERS, type Sequence } from '../task.js';

/** The place in the word of the letter that is asked about: what comes after it, when it is said again? */
const ASKED = 3;

export interface PatchedPositions {
  /** The first of the sequences, and the same with another letter at position `same`. */
  clean: Sequence;
  corrupted: Sequence;
  /** Where the letter of the question is said again, where it was said before, and where the answer stands. */
  question: number;
  same: number;
  answer: number;
  /** How much of the right answer comes back with one clean activation, from 0 to 1: by tap point, then by position. */
  recovered: Map<string, number[]>;
  /** The mean probability of the right answer. */
  probability: { clean: number; corrupted: number };
}

/**
 * Activation patching: spoils one letter of the word, so that it was never said when it is asked about, then puts back
 * the clean activation of one tap point at one position, each in turn. Where that mends the answer, there the model
 * keeps what it needs for it. The sequences must have the same turn, for a position to mean the same in all of them.
 */
export async function patchPositions(
  model: Transformer,
  sequences: readonly Sequence[],
): Promise<PatchedPositions> {
  const corrupted = sequences.map(spoilt);
  const question = sequences[0]!.answers.indexOf(ASKED + 1);
  const [clean, spoiled] = [batchOf(sequences), batchOf(corrupted)];
  const table = await patchingTable(model, {
    clean: clean.xs,
    corrupted: spoiled.xs,
    filter: ['embed', '**/output', '**/mlp', '**/resid'],
    along: 1,
    metric: (logits) => answerProbability(logits as tf.Tensor3D, clean.ys, question),
  });
  tf.dispose([clean, spoiled]);
  return {
    clean: sequences[0]!,
    corrupted: corrupted[0]!,
    question,
    same: ASKED,
    answer: ASKED + 1,
    recovered: table.grid(),
    probability: baselinesOf(table),
  };
}

/** The letter at `ASKED` becomes one that the sequence does not have. */
function spoilt(sequence: Sequence): Sequence {
  const unused = Array.from({ length: LETTERS }, (_, letter) => letter).find(
    (letter) => !sequence.letters.includes(letter),
  )!;
  return { ...sequence, letters: sequence.letters.with(ASKED, unused) };
}

/** The mean probability that the model gives to the right letter at a position. */
function answerProbability(logits: tf.Tensor3D, targets: tf.Tensor2D, position: number): tf.Tensor {
  const question = tf.squeeze(tf.slice(logits, [0, position, 0], [-1, 1, -1]), [1]);
  const answer = tf.squeeze(tf.slice(targets, [0, position], [-1, 1]), [1]) as tf.Tensor1D;
  const right = tf.cast(tf.oneHot(answer, LETTERS), 'float32');
  return tf.mean(tf.sum(tf.mul(right, tf.softmax(question)), -1));
}

function baselinesOf({ baselines }: EffectTable): PatchedPositions['probability'] {
  return { clean: baselines.clean!, corrupted: baselines.corrupted! };
}
