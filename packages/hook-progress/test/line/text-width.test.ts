import { expect, test } from 'vitest';
import { fitText, textWidth } from '../../src/line/text-width.js';

test.each([
  ['loss 0.5', 8],
  ['精度', 4],
  ['한글', 4],
  ['é as a letter and a mark: e\u0301', 27],
  ['🚀', 2],
  ['zero\u200bwidth', 9],
  ['', 0],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test('a text is cut before the character that does not fit, never through it', () => {
  expect(fitText('精度 0.9', 3)).toBe('精');
  expect(fitText('a🚀b', 2)).toBe('a');
  expect(fitText('a🚀b', 3)).toBe('a🚀');
  expect(fitText('abc', 0)).toBe('');
});
