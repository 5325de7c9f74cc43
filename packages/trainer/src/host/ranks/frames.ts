import type { Socket } from 'node:net';

/** What travels between ranks: one letter for its kind, and bytes. */
export type Frame = readonly [kind: 'hello' | 'given' | 'all' | 'abort', bytes: Buffer];

const KINDS = ['hello', 'given', 'all', 'abort'] as const;
const HEAD = 5;

export function writeFrame(socket: Socket, [kind, bytes]: Frame): void {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt8(KINDS.indexOf(kind), 4);
  socket.cork();
  socket.write(head);
  if (bytes.length > 0) socket.write(bytes);
  socket.uncork();
}

/** Calls `onFrame` for each frame that arrives as a whole. */
export function readFrames(socket: Socket, onFrame: (frame: Frame) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  let needed = HEAD;
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    length += part.length;
    // A large frame comes in many parts, which are joined once.
    while (length >= needed) {
      const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
      const whole = HEAD + bytes.readUInt32LE(0);
      parts = [bytes];
      needed = whole;
      if (length < whole) return;
      onFrame([KINDS[bytes.readUInt8(4)]!, bytes.subarray(HEAD, whole)]);
      length -= whole;
      parts = length > 0 ? [bytes.subarray(whole)] : [];
      needed = HEAD;
    }
  });
}

/** Several byte strings as one. */
export function packed(all: readonly Uint8Array[]): Buffer {
  const lengths = Buffer.allocUnsafe(4 * (all.length + 1));
  lengths.writeUInt32LE(all.length, 0);
  for (const [index, { length }] of all.entries()) lengths.writeUInt32LE(length, 4 * (index + 1));
  return Buffer.concat([lengths, ...all]);
}

export function unpacked(bytes: Buffer): Buffer[] {
  const count = bytes.readUInt32LE(0);
  let start = 4 * (count + 1);
  return Array.from({ length: count }, (_, index) => {
    const end = start + bytes.readUInt32LE(4 * (index + 1));
    const part = bytes.subarray(start, end);
    start = end;
    return part;
  });
}
