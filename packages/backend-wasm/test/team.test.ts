import { describe, expect, it } from 'vitest';
import type { ModuleExports } from '../src/module/exports.js';
import { BOARD_BYTES, CLOSED, MOST_PARTS, WORDS } from '../src/threads/board.js';
import { type Call, type ExportName, Team } from '../src/threads/team.js';

/** A team whose only member is the caller; its functions write down how they are called. */
function team(react: (args: number[], words: Int32Array) => void = () => {}) {
  const board = new SharedArrayBuffer(BOARD_BYTES);
  const words = new Int32Array(board);
  const made: [string, ...number[]][] = [];
  const recorder =
    (name: string) =>
    (...args: number[]) => {
      made.push([name, ...args]);
      react(args, words);
    };
  const module = { unary: recorder('unary'), fill: recorder('fill') } as unknown as ModuleExports;
  const names: ExportName[] = ['fill', 'unary'];
  const memory = { buffer: new ArrayBuffer(3 * 65_536) };
  const patience = { milliseconds: 1, naps: 3 };
  return { team: new Team({ board, memory, module, names, threads: 2, patience }), words, made };
}

const calls = (count: number): Call[] => Array.from({ length: count }, (_, i) => [i, 10 * i]);

describe('a team', () => {
  it('makes every call once, with its arguments as they are', () => {
    const { team: own, made } = team();
    own.run('unary', [
      [2 ** 32 - 4, true, -1.5],
      [0, false, 2 ** -149],
    ]);
    expect(made).toEqual([
      ['unary', 2 ** 32 - 4, 1, -1.5],
      ['unary', 0, 0, 2 ** -149],
    ]);
  });

  it('takes calls of other functions, and other numbers of arguments, one after the other', () => {
    const { team: own, made } = team();
    own.run('unary', [[1, 2, 3]]);
    own.run('fill', [[4]]);
    own.run('fill', []);
    expect(made).toEqual([
      ['unary', 1, 2, 3],
      ['fill', 4],
    ]);
  });

  it.each([1, 2, MOST_PARTS])('has room for %i parts', (count) => {
    const { team: own, made } = team();
    own.run('unary', calls(count));
    expect(made).toEqual(calls(count).map((call) => ['unary', ...call]));
  });

  it('says so when there are more parts than it has room for, and makes none', () => {
    const { team: own, made } = team();
    expect(() => own.run('unary', calls(MOST_PARTS + 1))).toThrow(
      new RangeError('65 parts of unary; there is room for 64.'),
    );
    expect(made).toEqual([]);
  });

  it('tells its workers how large the memory is, since they may not have noticed', () => {
    const { team: own, words } = team();
    own.run('unary', calls(1));
    expect(words[WORDS.pages]).toBe(3);
  });

  it('computes alone once it is closed, and its workers know that they are to end', () => {
    const { team: own, words, made } = team();
    own.close();
    expect(words[WORDS.ticket]).toBe(CLOSED);
    own.run('unary', calls(5));
    expect(made).toHaveLength(5);
    expect(words[WORDS.ticket]).toBe(CLOSED);
  });

  it('is awake while no worker sleeps', () => {
    const { team: own, words } = team();
    expect(own.isAwake).toBe(true);
    words[WORDS.sleepers] = 1;
    expect(own.isAwake).toBe(false);
    own.run('unary', calls(2));
    words[WORDS.sleepers] = 0;
    expect(own.isAwake).toBe(true);
  });

  it('throws when a part has failed, once all have ended, and goes on', () => {
    let isBroken = true;
    const { team: own, made } = team(([first]) => {
      if (isBroken && first === 1) throw new RangeError('unreachable');
    });
    expect(() => own.run('unary', calls(4))).toThrow(
      expect.objectContaining({
        code: 'THREAD_LOST',
        message: expect.stringMatching(/^A part of unary failed.*start again from the last checkpoint/),
      }),
    );
    expect(made).toHaveLength(4);
    isBroken = false;
    own.run('unary', calls(4));
    expect(made).toHaveLength(8);
  });

  it('leaves out what a worker has taken, and waits for that', () => {
    // The first call pretends to be a worker that takes the next part and finishes it.
    const { team: own, made } = team(([first], words) => {
      if (first !== 0) return;
      Atomics.add(words, WORDS.ticket, 1);
      Atomics.add(words, WORDS.finished, 1);
    });
    own.run('unary', calls(4));
    expect(made.map(([, first]) => first)).toEqual([0, 2, 3]);
  });

  it('gives up on a worker that does not finish, says so, and computes alone from then on', () => {
    let isLost = true;
    const {
      team: own,
      words,
      made,
    } = team(([first]) => {
      if (first === 0 && isLost) Atomics.add(words, WORDS.ticket, 1);
    });
    expect(() => own.run('unary', calls(4))).toThrow(
      expect.objectContaining({
        code: 'THREAD_LOST',
        message: expect.stringMatching(/^A worker did not finish its part of unary.*leave out the option/),
      }),
    );
    expect(words[WORDS.ticket]).toBe(CLOSED);
    isLost = false;
    made.length = 0;
    own.run('unary', calls(4));
    expect(made).toHaveLength(4);
  });
});
