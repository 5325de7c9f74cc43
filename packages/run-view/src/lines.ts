import { newMemory, open } from '@hookline/host';

/** What was read of a file: where the last whole line ends, and how many were too long. */
export interface ReadLines {
  readonly end: number;
  readonly tooLong: number;
}

const CHUNK = 2 ** 20;
/** A line of json-log has a few kilobytes; a histogram of a large layer some more. */
const LONGEST_LINE = 2 ** 20;
const LINE_BREAK = 0x0a;
const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Hands every whole line from byte `start` on to `take`, a piece of the file at a time. What follows the last line break
 * is left for the next call: it may still be being written. A line longer than 1 MiB is passed over, in bounded memory, and
 * counted when it ends.
 */
export async function readLines(
  file: string,
  start: number,
  take: (line: string) => void,
): Promise<ReadLines> {
  const handle = await open(file, 'r');
  try {
    const chunk = newMemory(CHUNK);
    let [position, end, tooLong] = [start, start, 0];
    let rest: Uint8Array | undefined;
    let isPassingOver = false;
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK, position);
      if (bytesRead === 0) return { end, tooLong };
      const piece = chunk.subarray(0, bytesRead);
      let from = 0;
      for (let to = piece.indexOf(LINE_BREAK); to >= 0; to = piece.indexOf(LINE_BREAK, from)) {
        const isLong = isPassingOver || (rest?.length ?? 0) + to - from > LONGEST_LINE;
        if (isLong) tooLong++;
        else take(textOf(rest, piece.subarray(from, to)));
        isPassingOver = false;
        rest = undefined;
        from = to + 1;
        end = position + from;
      }
      position += bytesRead;
      if (isPassingOver || from === bytesRead) continue;
      rest = joined(rest, piece.subarray(from));
      if (rest.length <= LONGEST_LINE) continue;
      rest = undefined;
      isPassingOver = true;
    }
  } finally {
    await handle.close();
  }
}

function textOf(rest: Uint8Array | undefined, piece: Uint8Array): string {
  return TEXT.decode(rest ? joined(rest, piece) : piece);
}

function joined(rest: Uint8Array | undefined, piece: Uint8Array): Uint8Array {
  const whole = new Uint8Array((rest?.length ?? 0) + piece.length);
  if (rest) whole.set(rest);
  whole.set(piece, rest?.length ?? 0);
  return whole;
}
