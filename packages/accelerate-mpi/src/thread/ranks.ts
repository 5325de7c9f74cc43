import type { FunctionName, Mpi } from './library.js';
import { BELL, type Failure } from './requests.js';

/** Floats in one call, far below the largest int of C. */
const CHUNK = 2 ** 28;
/** Bytes of each rank that are gathered in one call; what is longer takes a second one. */
const SLOT = 1024;
/** A message that a rank sends by itself. */
const MESSAGE = 1024;
const TAG = 4711;
const KINDS = { failed: 1, here: 2, gone: 3 } as const;
/** After this many seconds a rank tells the main one that it is not the one who is late. */
const HERE_AFTER = 1;
/** The main rank has named who is missing by then. */
const PATIENCE = 1.5;

/** A failure that ends all that is under way. */
export class RanksFailed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/**
 * What the ranks do together. Nothing waits inside of MPI until all are there: a rank that does not come would hold the
 * others for ever. Instead the call that does not wait is made, and this thread looks whether it is done.
 */
export class Ranks {
  readonly rank: number;
  readonly world: number;
  /** Calls so far: the same on all ranks. */
  #calls = 0;
  readonly #request = shared(16);
  readonly #flag = new Int32Array(shared(4).buffer);
  readonly #incoming = shared(MESSAGE);
  /** The arguments of the call that is under way. */
  readonly #held: unknown[] = [];
  /** Held until MPI has read them. */
  readonly #sent: Uint8Array[] = [];
  /** Of the main rank: the call that each of the others waits in. */
  readonly #here = new Map<number, number>();
  #failure: Failure | undefined;
  /** A rank that has ended, and the last call that it has made. */
  #gone: { readonly call: number; readonly failure: Failure } | undefined;
  /** Only slept on. */
  readonly #pillow = new Int32Array(new SharedArrayBuffer(4));

  constructor(
    private readonly mpi: Mpi,
    private readonly timeout: number,
    private readonly bell: Int32Array,
    /** Does what cannot wait, such as telling the others that this rank has failed. */
    private readonly urgent: () => void,
  ) {
    const number = new Int32Array(shared(4).buffer);
    // One thread calls MPI, and it is this one: MPI_THREAD_FUNNELED.
    mpi.call('Init_thread', null, null, 1, number);
    mpi.call('Comm_set_errhandler', mpi.world, mpi.errorsReturn);
    mpi.call('Comm_rank', mpi.world, number);
    this.rank = number[0]!;
    mpi.call('Comm_size', mpi.world, number);
    this.world = number[0]!;
  }

  /** In place. All ranks are there before anybody enters the call that waits: it is three times as fast as the other. */
  sum(values: Float32Array): void {
    const { mpi } = this;
    this.#begin('Ibarrier', mpi.world, this.#request);
    for (let start = 0; start < values.length; start += CHUNK) {
      const part = values.subarray(start, start + CHUNK);
      mpi.call('Allreduce', mpi.inPlace, part, part.length, mpi.float, mpi.add, mpi.world);
    }
  }

  gather(bytes: Uint8Array): Uint8Array[] {
    const first = this.#gatherSlots(bytes, SLOT);
    const longest = Math.max(...first.map(lengthIn));
    // All ranks see the same lengths, so all take the second call or none.
    const slots = longest <= SLOT - 4 ? first : this.#gatherSlots(bytes, longest + 4);
    return slots.map((slot) => slot.slice(4, 4 + lengthIn(slot)));
  }

  broadcast(bytes: Uint8Array | undefined): Uint8Array {
    const [size] = this.gather(new TextEncoder().encode(String(bytes?.length ?? 0)));
    const length = Number(new TextDecoder().decode(size));
    const all = shared(length);
    if (bytes && this.rank === 0) all.set(bytes);
    for (let start = 0; start < length; start += CHUNK) {
      const part = all.subarray(start, start + CHUNK);
      this.#begin('Ibcast', part, part.length, this.mpi.byte, 0, this.mpi.world, this.#request);
    }
    return all;
  }

  /** Every other rank learns that this one cannot go on, and why. */
  abort(reason: string): void {
    if (this.#failure) return;
    this.#failure = { code: 'RANK_FAILED', message: `Rank ${this.rank} failed: ${reason}` };
    for (let rank = 0; rank < this.world; rank++) {
      if (rank !== this.rank) this.#send(rank, 'failed', reason);
    }
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * The process ends. After a failure MPI ends all processes of the job. Else it waits for the others to end, too; one that
   * does not end well may have left them in the middle of something, and tells them.
   */
  end(code: number, aborts: boolean): void {
    if (!aborts && code !== 0) this.#sayGone(code);
    if (aborts) this.mpi.call('Abort', this.mpi.world, code);
    else this.mpi.call('Finalize');
  }

  /** The main rank tells the others when it waits in vain. */
  #sayGone(code: number): void {
    const reason = `its process ended with exit code ${code}`;
    const end = this.rank === 0 ? this.world : 1;
    for (let rank = 0; rank < end; rank++) if (rank !== this.rank) this.#send(rank, 'gone', reason);
  }

  #gatherSlots(bytes: Uint8Array, slot: number): Uint8Array[] {
    const { mpi, world } = this;
    const mine = shared(slot);
    new DataView(mine.buffer).setUint32(0, bytes.length, true);
    mine.set(bytes.subarray(0, slot - 4), 4);
    const all = shared(slot * world);
    this.#begin('Iallgather', mine, slot, mpi.byte, all, slot, mpi.byte, mpi.world, this.#request);
    return Array.from({ length: world }, (_, rank) => all.subarray(rank * slot, (rank + 1) * slot));
  }

  /** Makes a call that does not wait, and waits until it is done, a rank has failed, or the time is over. */
  #begin(name: FunctionName, ...args: unknown[]): void {
    if (this.#failure) throw new RanksFailed(this.#failure);
    const { mpi } = this;
    this.#calls++;
    // MPI reads and writes them until it is done; whoever made them may have forgotten them.
    this.#held.push(...args);
    mpi.call(name, ...args);
    const started = performance.now();
    const limit = this.timeout * (this.rank === 0 ? 1 : PATIENCE);
    let saidHere = false;
    for (let looks = 0; ; looks++) {
      mpi.call('Test', this.#request, this.#flag, mpi.ignoreStatus);
      if (this.#flag[0] !== 0) {
        this.#held.length = 0;
        return;
      }
      // Ranks come within microseconds of each other where all is well.
      if (looks < 100) continue;
      this.#listen();
      if (Atomics.load(this.bell, BELL.urgent) !== 0) this.urgent();
      // One that has made this call, too, may end before all others have seen that it is done.
      if (this.#gone && this.#calls > this.#gone.call) this.#failure ??= this.#gone.failure;
      if (this.#failure) throw new RanksFailed(this.#failure);
      const waited = (performance.now() - started) / 1000;
      if (waited > HERE_AFTER && !saidHere && this.rank !== 0) {
        saidHere = true;
        this.#send(0, 'here', '');
      }
      if (waited > limit) this.#timedOut(limit);
      // Others may need this core to get here.
      Atomics.wait(this.#pillow, 0, 0, waited < 0.005 ? 0.02 : 1);
    }
  }

  #timedOut(limit: number): never {
    const others = Array.from({ length: this.world - 1 }, (_, index) => index + 1);
    const late = this.rank === 0 ? others.filter((rank) => this.#here.get(rank) !== this.#calls) : [0];
    const who = late.length === 1 ? `Rank ${late[0]} has` : `Ranks ${late.join(', ')} have`;
    this.#failure = {
      code: 'RANK_TIMEOUT',
      message: `${who} not answered for ${limit} s: stopped, stuck or too slow. Nothing that was saved is lost: start the same command with resume: "auto" to continue, or raise timeout of the strategy.`,
    };
    for (const rank of others) if (this.rank === 0) this.#send(rank, 'failed', this.#failure.message);
    throw new RanksFailed(this.#failure);
  }

  #send(to: number, kind: keyof typeof KINDS, text: string): void {
    const { mpi } = this;
    const bytes = new TextEncoder().encode(text).subarray(0, MESSAGE - 16);
    const message = shared(MESSAGE);
    new Int32Array(message.buffer).set([KINDS[kind], this.rank, this.#calls, bytes.length]);
    message.set(bytes, 16);
    this.#sent.push(message);
    // Nobody asks whether it has arrived: the run is over, or will be.
    mpi.call('Isend', message, MESSAGE, mpi.byte, to, TAG, mpi.world, shared(16));
  }

  /** Takes what other ranks have sent by themselves. */
  #listen(): void {
    const { mpi } = this;
    for (;;) {
      mpi.call('Iprobe', mpi.anySource, TAG, mpi.world, this.#flag, mpi.ignoreStatus);
      if (this.#flag[0] === 0) return;
      const bytes = this.#incoming;
      mpi.call('Recv', bytes, MESSAGE, mpi.byte, mpi.anySource, TAG, mpi.world, mpi.ignoreStatus);
      const [kind, rank, call, length] = new Int32Array(bytes.buffer);
      const text = new TextDecoder().decode(bytes.slice(16, 16 + length!));
      if (kind === KINDS.here) this.#here.set(rank!, call!);
      else if (kind === KINDS.gone) {
        const message = `Rank ${rank} is gone: ${text}. Nothing that was saved is lost: start the same command with resume: "auto" to continue.`;
        this.#gone ??= { call: call!, failure: { code: 'RANK_FAILED', message } };
      }
      // A main rank that has waited too long has said who is missing.
      else this.#failure ??= { code: 'RANK_FAILED', message: `Rank ${rank} failed: ${text}` };
    }
  }
}

/** Memory that stays where it is as long as somebody holds it. */
function shared(bytes: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(bytes));
}

function lengthIn(slot: Uint8Array): number {
  return new DataView(slot.buffer, slot.byteOffset).getUint32(0, true);
}
