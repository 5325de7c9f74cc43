import * as tf from '@tensorflow/tfjs-core';
import { shuffled } from './random.js';

export const LETTERS = 26;
/** Letters in a word. */
export const WORD = 12;
/** Letters in a sequence: a word, and the word again. */
export const LENGTH = 2 * WORD;
/** There is nothing to be learned about the letter that comes here. */
const UNKNOWN = -1;

export interface Sequence {
  /** Numbers of letters. */
  letters: number[];
  /** For each position the letter that comes next, or -1 where nobody can know it. */
  targets: number[];
  /** For each position where the answer stands: right after the same letter, the time before. -1 where there is none. */
  answers: number[];
}

/**
 * A word of different letters, then the word again: from its letter number `turn` on to its end, then from its
 * beginning. Were it simply said twice, a head that looks 11 letters back would do, and one block would be enough.
 * With a turn of its own in each sequence no distance is right: one has to find the same letter and see what followed.
 */
export function sequenceOf(random: () => number, turn = Math.floor(random() * WORD)): Sequence {
  const alphabet = Array.from({ length: LETTERS }, (_, letter) => letter);
  const word = shuffled(alphabet, random).slice(0, WORD);
  const places = word.map((_, index) => (turn + index) % WORD);
  // After the last letter of the word comes its first, which never followed it before.
  const answers = places.map((place) => (place + 1 < WORD ? place + 1 : UNKNOWN));
  const nothing = word.map(() => UNKNOWN);
  return {
    letters: [...word, ...places.map((place) => word[place]!)],
    targets: [...nothing, ...answers.map((place) => word[place] ?? UNKNOWN)],
    answers: [...nothing, ...answers],
  };
}

export function letterOf(number: number): string {
  return String.fromCharCode(65 + number);
}

export function sequencesOf(random: () => number, count: number, turn?: number): Sequence[] {
  return Array.from({ length: count }, () => sequenceOf(random, turn));
}

/** The sequences as a batch for the trainer; its tensors are the caller's. */
export function batchOf(sequences: readonly Sequence[]): { xs: tf.Tensor2D; ys: tf.Tensor2D } {
  const rows = (numbers: (sequence: Sequence) => number[]) =>
    tf.tensor2d(sequences.map(numbers), [sequences.length, LENGTH], 'int32');
  return { xs: rows(({ letters }) => letters), ys: rows(({ targets }) => targets) };
}
