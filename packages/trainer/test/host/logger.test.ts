import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LoggerOptions } from '../../src/host/logger.js';
import { createLogger } from '../../src/host/node/logger.js';

/** A logger together with what it has written. */
function logged(options: LoggerOptions & { isTTY?: boolean } = {}) {
  const { isTTY, ...rest } = options;
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) };
  return { logger: createLogger({ stream, ...rest }), text: () => written.join('') };
}

beforeEach(() => {
  vi.stubEnv('HOOKLINE_LOG_LEVEL', undefined);
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a message', () => {
  it('is one line that says who speaks, and how serious it is unless it is plain information', () => {
    const { logger, text } = logged({ level: 'debug' });
    logger.info('training starts');
    logger.debug('a detail');
    logger.warn('careful');
    logger.error('it broke');
    expect(text()).toBe(
      'hookline training starts\nhookline debug a detail\nhookline warn careful\nhookline error it broke\n',
    );
  });

  it('is followed by its fields as key=value, text with spaces in quotes, fractions short', () => {
    const { logger, text } = logged();
    const cyclic: Record<string, unknown> = { a: [1] };
    cyclic.self = cyclic;
    logger.info(
      {
        step: 1234567,
        loss: 0.1 + 0.2,
        name: 'a b',
        id: 'x-1',
        none: undefined,
        list: ['p on', 'q off'],
        cyclic,
        ok: null,
      },
      'epoch done',
    );
    expect(text()).toBe(
      'hookline epoch done step=1234567 loss=0.3 name="a b" id=x-1 list="p on, q off" ' +
        'cyclic=<ref *1> { a: [ 1 ], self: [Circular *1] } ok=null\n',
    );
  });

  it('of several lines is indented after the first', () => {
    const { logger, text } = logged();
    logger.info('first\nsecond');
    expect(text()).toBe('hookline first\n  second\n');
  });

  it('cannot steer the terminal with control characters', () => {
    const { logger, text } = logged();
    logger.info({ label: 'a\u001b[2Jb' }, 'x\u001b[31m\r\u0007y');
    expect(text()).toBe('hookline x[31my label=a[2Jb\n');
  });
});

describe('an error', () => {
  it.each([
    ['as the first argument', (error: Error): [object, string] => [error, 'it failed']],
    ['as the field err', (error: Error): [object, string] => [{ err: error }, 'it failed']],
  ])('%s is shown with its stack and cause on the following lines', (_, argumentsFor) => {
    const { logger, text } = logged();
    logger.error(...argumentsFor(new Error('outer', { cause: new TypeError('inner') })));
    const [first, second, third] = text().split('\n');
    expect([first, second]).toEqual(['hookline error it failed', '  Error: outer']);
    expect(third).toMatch(/^ {6}at .*logger\.test\.ts/);
    expect(text()).toContain('[cause]: TypeError: inner');
  });

  it('speaks for itself when there is no message', () => {
    const { logger, text } = logged();
    logger.error(new Error('outer'));
    expect(text()).toMatch(/^hookline error outer\n {2}Error: outer\n/);
  });
});

describe('a child', () => {
  it('names its hook, and carries what it was given into every message', () => {
    const { logger, text } = logged();
    logger.child({ hook: 'progress' }).child({ run: 'r1' }).warn({ step: 3 }, 'slow');
    expect(text()).toBe('hookline warn [progress] slow run=r1 step=3\n');
  });
});

describe('the level', () => {
  it('is info by default', () => {
    const { logger, text } = logged();
    logger.debug('hidden');
    logger.info('shown');
    expect(text()).toBe('hookline shown\n');
  });

  it('comes from HOOKLINE_LOG_LEVEL, and the option outranks it', () => {
    vi.stubEnv('HOOKLINE_LOG_LEVEL', 'error');
    const quiet = logged();
    quiet.logger.warn('hidden');
    quiet.logger.error('shown');
    expect(quiet.text()).toBe('hookline error shown\n');
    const loud = logged({ level: 'debug' });
    loud.logger.child({}).debug('shown');
    expect(loud.text()).toBe('hookline debug shown\n');
  });

  it('silent says nothing at all', () => {
    const { logger, text } = logged({ level: 'silent' });
    logger.error(new Error('unheard'));
    expect(text()).toBe('');
  });

  it('that is mistyped in the environment costs a warning, in code it is a named error', () => {
    vi.stubEnv('HOOKLINE_LOG_LEVEL', 'degub');
    const { logger, text } = logged();
    logger.info('goes on');
    expect(text()).toMatch(
      /^hookline warn HOOKLINE_LOG_LEVEL is "degub".* Did you mean "debug"\?.*\nhookline goes on\n$/,
    );
    expect(() => createLogger({ level: 'wran' as 'warn' })).toThrow(
      expect.objectContaining({
        code: 'LOG_LEVEL_UNKNOWN',
        message: expect.stringContaining('Did you mean "warn"?'),
      }),
    );
  });
});

describe('colours', () => {
  it.each([
    ['a terminal', true, undefined, true],
    ['a file', false, undefined, false],
    ['a terminal with NO_COLOR', true, '1', false],
  ])('on %s', (_, isTTY, noColor, coloured) => {
    vi.stubEnv('NO_COLOR', noColor);
    const { logger, text } = logged({ isTTY });
    logger.warn({ hook: 'x' }, 'careful');
    expect(text().includes('\u001b[33mwarn\u001b[0m')).toBe(coloured);
    expect(text().includes('\u001b')).toBe(coloured);
  });
});
