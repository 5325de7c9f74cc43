import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Meeting } from './meeting.js';

/** Floats that go through the sockets rather than through the file: below this the file takes longer. */
const FEW = 8192;
/** Floats that are added up at a time: what two processes touch together stays in the caches of the machine. */
const BUCKET = 2 ** 18;

/**
 * Adds up the values of all ranks through a file that they share, in memory where the system has such files. Node cannot
 * map memory of another process, but writing to such a file is one copy in the kernel and reading it is another, so that
 * this is shared memory without native code. Each rank adds up one part of each bucket, for all: the same bits for all,
 * and a rank copies three times its values, however many ranks there are.
 */
export class SharedValues {
  readonly #file: number;
  readonly #read = new Float32Array(BUCKET);
  readonly #readBytes = bytesOf(this.#read);

  constructor(
    path: string,
    private readonly meeting: Meeting,
  ) {
    this.#file = openSync(path, 'r+');
    process.once('exit', () => closeSync(this.#file));
  }

  async sum(values: Float32Array): Promise<void> {
    if (values.length <= FEW) return this.#sumFew(values);
    for (let start = 0; start < values.length; start += BUCKET) {
      await this.#sumBucket(values.subarray(start, start + BUCKET));
    }
  }

  async #sumBucket(values: Float32Array): Promise<void> {
    const { rank, world } = this.meeting;
    const bytes = bytesOf(values);
    const [from, to] = partOf(rank, world, values.length);
    writeSync(this.#file, bytes, 0, bytes.length, rank * BUCKET * 4);
    await this.meeting.meet(NOTHING);
    const mine = values.subarray(from, to);
    const total = new Float32Array(mine.length);
    for (let other = 0; other < world; other++) {
      const part = other === rank ? mine : this.#part(other, from, to);
      // In the order of ranks, whoever adds up.
      for (let index = 0; index < total.length; index++) total[index] = total[index]! + part[index]!;
    }
    writeSync(this.#file, bytesOf(total), 0, total.byteLength, (world * BUCKET + from) * 4);
    await this.meeting.meet(NOTHING);
    readSync(this.#file, bytes, 0, bytes.length, world * BUCKET * 4);
  }

  #part(rank: number, from: number, to: number): Float32Array {
    readSync(this.#file, this.#readBytes, 0, (to - from) * 4, (rank * BUCKET + from) * 4);
    return this.#read.subarray(0, to - from);
  }

  async #sumFew(values: Float32Array): Promise<void> {
    const all = await this.meeting.meet(bytesOf(values));
    values.fill(0);
    for (const bytes of all) {
      // The bytes of a frame lie anywhere: a copy is aligned.
      const part = new Float32Array(Uint8Array.from(bytes).buffer);
      for (let index = 0; index < values.length; index++) values[index] = values[index]! + part[index]!;
    }
  }
}

const NOTHING = new Uint8Array(0);

/** How large the file is, in bytes. */
export function sharedBytes(world: number): number {
  return (world + 1) * BUCKET * 4;
}

function partOf(rank: number, world: number, length: number): [from: number, to: number] {
  return [Math.floor((rank * length) / world), Math.floor(((rank + 1) * length) / world)];
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
