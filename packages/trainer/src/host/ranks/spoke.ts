import type { Socket } from 'node:net';
import { trainerError } from '../../errors.js';
import { type Frame, readFrames, unpacked, writeFrame } from './frames.js';
import { type Meeting, Pending } from './meeting.js';

/** The main rank has named who is missing by then. */
const PATIENCE = 1.5;

/** The meeting on a rank that is connected to the main one. */
export class Spoke implements Meeting {
  #pending: Pending<Buffer[]> | undefined;
  #failure: Error | undefined;

  constructor(
    readonly rank: number,
    readonly world: number,
    private readonly timeout: number,
    private readonly socket: Socket,
  ) {
    writeFrame(socket, ['hello', Buffer.from(String(rank))]);
    socket.unref();
    readFrames(socket, (frame) => this.#take(frame));
    socket.on('error', () => {});
    socket.on('close', () => this.#fail('The main rank is gone: it closed its connection.'));
  }

  joined(): Promise<unknown> {
    return this.meet(Buffer.alloc(0));
  }

  meet(bytes: Uint8Array): Promise<Buffer[]> {
    if (this.#failure) return Promise.reject(this.#failure);
    const pending = new Pending<Buffer[]>(this.timeout * PATIENCE, () =>
      this.#fail(`The main rank has not answered for ${this.timeout * PATIENCE} s.`, 'RANK_TIMEOUT'),
    );
    this.#pending = pending;
    writeFrame(this.socket, ['given', Buffer.from(bytes)]);
    return pending.done;
  }

  abort(reason: string): void {
    if (this.#failure) return;
    writeFrame(this.socket, ['abort', Buffer.from(reason)]);
    this.#fail(`Rank ${this.rank} failed: ${reason}`);
  }

  #take([kind, bytes]: Frame): void {
    if (kind === 'abort') {
      this.#fail(bytes.toString());
      return;
    }
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve(unpacked(bytes));
  }

  #fail(message: string, code: 'RANK_FAILED' | 'RANK_TIMEOUT' = 'RANK_FAILED'): void {
    this.#failure ??= trainerError(code, message);
    this.#pending?.reject(this.#failure);
    this.#pending = undefined;
  }
}
