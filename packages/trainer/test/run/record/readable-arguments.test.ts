import { expect, test } from 'vitest';
import { readableArguments } from '../../../src/run/record/readable-arguments.js';

test('arguments are recorded, without the secrets among them', () => {
  const args = ['train', '--set', 'fit.epochs=3', '--token', 'swordfish', '--api-key=swordfish'];
  const more = [
    '--set',
    'hooks.notify.webhook=https://x.test/swordfish',
    'sk-proj-swordfish123456',
    '--json',
  ];
  expect(readableArguments([...args, ...more])).toEqual([
    ...['train', '--set', 'fit.epochs=3', '--token', '[redacted]', '--api-key=[redacted]'],
    ...['--set', 'hooks.notify.webhook=[redacted]', '[redacted]', '--json'],
  ]);
});
