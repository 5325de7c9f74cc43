import type { Meeting } from './meeting.js';
import type { SharedValues } from './shared-values.js';

/** A collective of processes on this machine. */
export class LocalRank {
  readonly rank: number;
  readonly world: number;
  /** Settles with the last call that was made: ranks meet for one call at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly meeting: Meeting,
    private readonly values: SharedValues,
  ) {
    this.rank = meeting.rank;
    this.world = meeting.world;
  }

  sum(values: Float32Array): Promise<void> {
    return this.#inTurn(() => this.values.sum(values));
  }

  async gather(text: string): Promise<string[]> {
    return (await this.#inTurn(() => this.meeting.meet(Buffer.from(text)))).map(String);
  }

  async broadcast(bytes: Uint8Array | undefined): Promise<Uint8Array> {
    return (await this.#inTurn(() => this.meeting.meet(bytes ?? new Uint8Array(0))))[0]!;
  }

  abort(reason: string): void {
    this.meeting.abort(reason);
  }

  #inTurn<Value>(call: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(call);
    this.#last = turn;
    // A failure is for whoever waits for this call; one that comes after it fails with it.
    turn.catch(() => {});
    return turn;
  }
}
