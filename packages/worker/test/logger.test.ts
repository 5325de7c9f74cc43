import { expect, test } from 'vitest';
import { lineLogger } from '../src/main/logger.js';

test('messages are lines, with their level and hook; debug messages are left out', () => {
  const lines: string[] = [];
  const logger = lineLogger((line) => void lines.push(line));
  logger.info('began');
  logger.warn({ step: 3 }, 'slow');
  logger.error({ msg: 'broken' });
  logger.debug('details');
  const child = logger.child({ hook: 'progress' });
  child.info('here');
  child.child({ other: 1 }).warn('there');
  child.info({ step: 1 });
  expect(lines).toEqual([
    'hookline began\n',
    'hookline warn slow\n',
    'hookline error broken\n',
    'hookline [progress] here\n',
    'hookline warn [progress] there\n',
    'hookline [progress] \n',
  ]);
});
