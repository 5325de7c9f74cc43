import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Frame, packed, readFrames, unpacked, writeFrame } from '../../../src/host/ranks/frames.js';

/** What arrives of frames whose bytes come in parts of this length. */
function arriving(frames: readonly Frame[], partLength: number): [string, string][] {
  const wire = new PassThrough();
  for (const frame of frames) writeFrame(wire as unknown as Socket, frame);
  const bytes = wire.read() as Buffer;
  const arrived: [string, string][] = [];
  const reader = new PassThrough();
  readFrames(reader as unknown as Socket, ([kind, content]) => arrived.push([kind, content.toString()]));
  for (let start = 0; start < bytes.length; start += partLength)
    reader.emit('data', bytes.subarray(start, start + partLength));
  return arrived;
}

const FRAMES: readonly Frame[] = [
  ['hello', Buffer.from('3')],
  ['given', Buffer.alloc(0)],
  ['all', Buffer.from('x'.repeat(1000))],
  ['abort', Buffer.from('außer Betrieb')],
];

describe('frames', () => {
  const expected = FRAMES.map(([kind, bytes]) => [kind, bytes.toString()]);

  // Within a head, at its end, within a body, over several frames at once.
  test.each([1, 4, 5, 6, 7, 500, 10_000])('arrive whole and in order in parts of %i bytes', (length) => {
    expect(arriving(FRAMES, length)).toEqual(expected);
  });

  test('a frame of which the end is missing is not told yet', () => {
    const wire = new PassThrough();
    writeFrame(wire as unknown as Socket, ['given', Buffer.from('abcdef')]);
    const bytes = wire.read() as Buffer;
    const arrived: string[] = [];
    const reader = new PassThrough();
    readFrames(reader as unknown as Socket, ([, content]) => arrived.push(content.toString()));
    reader.emit('data', bytes.subarray(0, -1));
    expect(arrived).toEqual([]);
    reader.emit('data', bytes.subarray(-1));
    expect(arrived).toEqual(['abcdef']);
  });
});

test.each([[[]], [['']], [['', 'b', '']], [['one', 'two', 'three'.repeat(1000)]]])(
  'byte strings become one and are the same again: %j',
  (texts) => {
    expect(unpacked(packed(texts.map((text) => Buffer.from(text)))).map(String)).toEqual(texts);
  },
);
