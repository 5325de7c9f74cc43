import * as tf from '@tensorflow/tfjs-core';
import type { Head } from './head.js';
import type { Transformer } from './model/transformer.js';

export interface Claim {
  says: string;
  /** What was measured. */
  value: number;
  holds: boolean;
}

/**
 * Measures again what was found, by other means: from nothing but letters, with taps written here and plain loops.
 * Neither the research verbs nor the scores, metrics and targets of this example take part.
 */
export function checkFindings(
  model: Transformer,
  heads: readonly Head[],
  { previous, induction }: { previous: Head; induction: Head },
  sequences: readonly (readonly number[])[],
): Claim[] {
  const whole = run(model, sequences);
  const without = new Map(
    heads.map(({ name, output }) => [name, accuracy(sequences, run(model, sequences, output).choices)]),
  );
  const others = heads.filter(({ name }) => name !== previous.name && name !== induction.name);
  const worst = Math.min(...others.map(({ name }) => without.get(name)!));
  const looks = attentionTo(sequences, whole.patterns.get(induction.pattern)!, afterSameLetter);
  const back = attentionTo(sequences, whole.patterns.get(previous.pattern)!, (_, to) => to - 1);
  const right = accuracy(sequences, whole.choices);
  const [noInduction, noPrevious] = [without.get(induction.name)!, without.get(previous.name)!];
  return [
    claim('right letters of the whole model, above 0.95', right, right > 0.95),
    claim(`attention of ${induction.name} to what followed the same letter, above 0.9`, looks, looks > 0.9),
    claim(`attention of ${previous.name} to the letter before, above 0.5`, back, back > 0.5),
    claim(
      `the block of ${previous.name}, before that of ${induction.name}`,
      previous.block,
      previous.block < induction.block,
    ),
    claim(`right letters without ${induction.name}, below 0.15`, noInduction, noInduction < 0.15),
    claim(`right letters without ${previous.name}, below 0.5`, noPrevious, noPrevious < 0.5),
    claim('right letters without any other head, above 0.8', worst, worst > 0.8),
  ];
}

function claim(says: string, value: number, holds: boolean): Claim {
  return { says, value, holds };
}

interface Run {
  /** The letter that the model thinks most likely to follow, for each sequence and position. */
  choices: number[][];
  /** By tap point: for each sequence, from each position, to each. */
  patterns: Map<string, number[][][]>;
}

function run(model: Transformer, sequences: readonly (readonly number[])[], silenced?: string): Run {
  const patterns = new Map<string, number[][][]>();
  const logits = tf.tidy(() => {
    const xs = tf.tensor2d(sequences as number[][], undefined, 'int32');
    const tap = <Output extends tf.Tensor>(path: string, output: Output): Output => {
      if (path.endsWith('/pattern')) patterns.set(path, output.arraySync() as number[][][]);
      return path === silenced ? tf.zerosLike(output) : output;
    };
    return model.forward(xs, { training: false, tap }).arraySync();
  });
  const highest = (scores: readonly number[]) => scores.indexOf(Math.max(...scores));
  return { choices: logits.map((rows) => rows.map(highest)), patterns };
}

/** The position after the last time that this letter was said; -1 where it is new. */
function afterSameLetter(letters: readonly number[], position: number): number {
  const before = letters.slice(0, position).lastIndexOf(letters[position]!);
  return before < 0 ? -1 : before + 1;
}

/** Questions are the letters that were said before; the last of a word is none, for what follows it now is new. */
function isQuestion(letters: readonly number[], position: number): boolean {
  const answer = afterSameLetter(letters, position);
  return answer >= 0 && answer < letters.length / 2;
}

function accuracy(
  sequences: readonly (readonly number[])[],
  choices: readonly (readonly number[])[],
): number {
  const hits = sequences.flatMap((letters, sequence) =>
    letters.flatMap((_, position) =>
      isQuestion(letters, position)
        ? [choices[sequence]![position] === letters[afterSameLetter(letters, position)] ? 1 : 0]
        : [],
    ),
  );
  return mean(hits);
}

function attentionTo(
  sequences: readonly (readonly number[])[],
  pattern: readonly (readonly (readonly number[])[])[],
  place: (letters: readonly number[], to: number) => number,
): number {
  const weights = sequences.flatMap((letters, sequence) =>
    letters.flatMap((_, to) =>
      isQuestion(letters, to) ? [pattern[sequence]![to]![place(letters, to)]!] : [],
    ),
  );
  return mean(weights);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum: number, number) => sum + number, 0) / numbers.length;
}
