import { LENGTH, type Sequence } from '../task.js';

/** How much a head does what its kind does, from 0 to 1. */
export interface HeadScores {
  /** The mean attention to the letter before. */
  previous: number;
  /**
   * The mean attention, where the next letter can be known, to the place where it stands: right after the same letter,
   * the time before. Also called the prefix-matching score.
   */
  induction: number;
}

/** The scores of a head from its attention, [sequences, to, from]. */
export function headScores(pattern: Float32Array, sequences: readonly Sequence[]): HeadScores {
  const before: number[] = [];
  const answer: number[] = [];
  for (const [sequence, { answers }] of sequences.entries()) {
    for (const [to, place] of answers.entries()) {
      const row = (sequence * LENGTH + to) * LENGTH;
      if (to > 0) before.push(pattern[row + to - 1]!);
      if (place >= 0) answer.push(pattern[row + place]!);
    }
  }
  return { previous: mean(before), induction: mean(answer) };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
