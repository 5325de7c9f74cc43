import { expect, test } from 'vitest';
import { randomFrom, shuffled } from '../src/random.js';
import { LENGTH, sequenceOf, sequencesOf, WORD } from '../src/task.js';

const sequences = sequencesOf(randomFrom(1, 'test'), 200);

test('the second half is the word of the first, begun at any of its letters', () => {
  const turns = sequences.map(({ letters }) => letters.indexOf(letters[WORD]!));

  for (const [index, { letters }] of sequences.entries()) {
    const [word, again] = [letters.slice(0, WORD), letters.slice(WORD)];
    expect(new Set(word).size).toBe(WORD);
    expect(again).toEqual([...word.slice(turns[index]!), ...word.slice(0, turns[index]!)]);
  }
  expect(new Set(turns).size).toBe(WORD);
});

test('a target is the letter that followed the same letter before, and the answer is where it stands', () => {
  for (const { letters, targets, answers } of sequences) {
    for (const [position, target] of targets.entries()) {
      const before = letters.slice(0, position).lastIndexOf(letters[position]!);
      const isKnown = before >= 0 && before < WORD - 1;
      expect([target, answers[position]]).toEqual(isKnown ? [letters[before + 1], before + 1] : [-1, -1]);
    }
    expect(targets.filter((target) => target >= 0)).toHaveLength(WORD - 1);
  }
});

test('targets agree with the letters that do come next, but for the end', () => {
  const { letters, targets } = sequenceOf(randomFrom(2, 'test'), 7);

  const known = targets.flatMap((target, position) =>
    target >= 0 && position + 1 < LENGTH ? [position] : [],
  );
  expect(known.map((position) => targets[position])).toEqual(known.map((position) => letters[position + 1]));
});

test('the same seed and purpose give the same sequences, another seed or purpose gives others', () => {
  const again = (seed: number, purpose: string) => sequencesOf(randomFrom(seed, purpose), 200);

  expect(again(1, 'test')).toEqual(sequences);
  expect(again(2, 'test')).not.toEqual(sequences);
  expect(again(1, 'train')).not.toEqual(sequences);
});

test('every order of three is as likely as the others', () => {
  const random = randomFrom(3, 'orders');
  const counts = new Map<string, number>();
  for (let draw = 0; draw < 6000; draw++) {
    const order = shuffled(['a', 'b', 'c'], random).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }

  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
