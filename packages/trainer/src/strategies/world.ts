import { decodeJson, encodeJson } from '@hookline/hook-api/helpers';
import { fromBytes, toBytes } from '#host';
import { trainerError } from '../errors.js';
import type { Collective } from './collective.js';

/**
 * The ranks that train together, as the run sees them. A run that trains alone has none, and asks nobody.
 */
export class World {
  readonly rank: number;
  readonly size: number;
  /** Grows to what was asked for. */
  #buffer: Float32Array = new Float32Array(0);

  constructor(
    readonly name: string,
    private readonly collective: Collective,
  ) {
    this.rank = collective.rank;
    this.size = collective.world;
  }

  /** The one that writes, logs and decides where all cannot. */
  get isMain(): boolean {
    return this.rank === 0;
  }

  /**
   * What each rank says, by rank. All of them must be at the same place: one that ran out of data before the others would
   * otherwise take their word about a batch for one about its epoch.
   */
  async exchange<Value>(place: string, value: Value): Promise<Value[]> {
    const texts = await this.collective.gather(JSON.stringify([place, encodeJson(value)]));
    const said = texts.map((text) => JSON.parse(text) as [string, never]);
    const other = said.findIndex(([at]) => at !== said[0]![0]);
    if (other > 0) {
      throw ranksDiffer(
        `rank 0 is at ${said[0]![0]}, rank ${other} at ${said[other]![0]}. Every rank must read the same batches and do the same: look for data or decisions that depend on time, on chance without the seed, or on files that differ between machines.`,
      );
    }
    return said.map(([, json]) => decodeJson(json) as Value);
  }

  /** Adds up the values of all ranks, in place. */
  sum(values: Float32Array): Promise<void> {
    return this.collective.sum(values);
  }

  /** What the main rank gave: anything that can be cloned, tensors on the host included. */
  async fromMain<Value>(value?: Value): Promise<Value> {
    const bytes = await this.collective.broadcast(this.isMain ? toBytes(value) : undefined);
    return this.isMain ? value! : (fromBytes(bytes) as Value);
  }

  /** Room for values to add up; until the next call. */
  room(length: number): Float32Array {
    if (this.#buffer.length < length) {
      this.#buffer = this.collective.allocate?.(length) ?? new Float32Array(length);
    }
    return this.#buffer.subarray(0, length);
  }

  /** This rank cannot go on: the others should not wait for it. */
  abort(error: unknown): void {
    this.collective.abort(error instanceof Error ? error.message : String(error));
  }
}

export function ranksDiffer(what: string): Error {
  return trainerError('RANKS_DIFFER', `The processes of this run do not train the same: ${what}`);
}
