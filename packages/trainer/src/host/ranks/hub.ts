import type { Socket } from 'node:net';
import { trainerError } from '../../errors.js';
import { type Frame, packed, writeFrame } from './frames.js';
import { type Meeting, Pending } from './meeting.js';

/** How long it takes, in milliseconds, until a rank that fails has said all about it. */
const MOMENT = 500;

/** The meeting on the main rank, which all others are connected to. */
export class Hub implements Meeting {
  readonly rank = 0;
  readonly #sockets = new Map<number, Socket>();
  /** What the others have brought to the next meeting, by rank. */
  readonly #given = new Map<number, Buffer>();
  #own: Uint8Array | undefined;
  #pending: Pending<Buffer[]> | undefined;
  /** Why there are no more meetings. */
  #failure: { readonly rank: number; readonly error: Error } | undefined;
  /** Ranks that have ended, with how. */
  readonly #gone = new Map<number, string>();
  /** Ranks that have failed and not ended yet, with why. */
  readonly #failing = new Map<number, string>();

  constructor(
    readonly world: number,
    private readonly timeout: number,
  ) {}

  /** The rank that failed first. */
  get failedRank(): number | undefined {
    return this.#failure?.rank;
  }

  /** Settles when all ranks have joined. */
  joined(): Promise<unknown> {
    return this.meet(Buffer.alloc(0));
  }

  /** Returns what to do with the frames of this rank. */
  add(rank: number, socket: Socket): (frame: Frame) => void {
    this.#sockets.set(rank, socket);
    socket.unref();
    // That it is closed says less than how its process ended, which is known a moment later.
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(() => this.ended(rank, 'closed its connection'), MOMENT).unref());
    return (frame) => this.#take(rank, frame);
  }

  /** A rank is no longer there; a failure as soon as somebody waits for it. */
  ended(rank: number, how: string): void {
    if (this.#gone.has(rank)) return;
    this.#gone.set(rank, how);
    const reason = this.#failing.get(rank);
    // What it has printed is there to be read.
    if (reason !== undefined) return void setImmediate(() => this.#fail(rank, reason));
    if (this.#pending && !this.#given.has(rank)) this.#lost(rank, how);
  }

  meet(bytes: Uint8Array): Promise<Buffer[]> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    this.#own = bytes;
    const pending = new Pending<Buffer[]>(this.timeout, () => this.#timedOut());
    this.#pending = pending;
    this.#settle();
    for (const [rank, how] of this.#gone) {
      if (this.#pending && !this.#given.has(rank)) this.#lost(rank, how);
    }
    return pending.done;
  }

  abort(reason: string): void {
    this.#fail(0, `Rank 0, the main one, failed: ${reason}`);
  }

  #take(rank: number, [kind, bytes]: Frame): void {
    if (kind === 'abort') this.#failSoon(rank, `Rank ${rank} failed: ${bytes.toString()}`);
    else if (kind === 'given') {
      this.#given.set(rank, bytes);
      this.#settle();
    }
  }

  /** Once its process has ended, or a moment later: as it ends, it prints where the error comes from. */
  #failSoon(rank: number, reason: string): void {
    this.#failing.set(rank, reason);
    setTimeout(() => this.#fail(rank, reason), MOMENT).unref();
  }

  #settle(): void {
    const pending = this.#pending;
    if (!pending || this.#given.size < this.world - 1) return;
    const all = Array.from({ length: this.world }, (_, rank) =>
      rank === 0 ? Buffer.from(this.#own!) : this.#given.get(rank)!,
    );
    this.#given.clear();
    this.#pending = undefined;
    const frame = packed(all);
    for (const socket of this.#sockets.values()) writeFrame(socket, ['all', frame]);
    pending.resolve(all);
  }

  #lost(rank: number, how: string): void {
    this.#fail(
      rank,
      this.#failing.get(rank) ??
        `Rank ${rank} is gone: its process ${how}. Nothing that was saved is lost: start the same command with resume: "auto" to continue.`,
    );
  }

  #timedOut(): void {
    const late = this.#missing();
    const who = late.length === 1 ? `Rank ${late[0]} has` : `Ranks ${late.join(', ')} have`;
    this.#fail(
      late[0] ?? 0,
      `${who} not answered for ${this.timeout} s: stopped, stuck or too slow. Nothing that was saved is lost: start the same command with resume: "auto" to continue, or raise timeout of the strategy.`,
      'RANK_TIMEOUT',
    );
  }

  #missing(): number[] {
    const others = Array.from({ length: this.world - 1 }, (_, index) => index + 1);
    return others.filter((rank) => !this.#given.has(rank));
  }

  /** The first failure is the one that counts; everybody learns of it. */
  #fail(rank: number, message: string, code: 'RANK_FAILED' | 'RANK_TIMEOUT' = 'RANK_FAILED'): void {
    if (this.#failure) return;
    const error = trainerError(code, message);
    this.#failure = { rank, error };
    for (const socket of this.#sockets.values()) {
      if (!socket.destroyed) writeFrame(socket, ['abort', Buffer.from(message)]);
    }
    this.#pending?.reject(error);
    this.#pending = undefined;
  }
}
