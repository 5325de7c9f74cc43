import type { Port } from '../host/contract.js';
import type { EventMessage } from '../messages.js';

/** Events that may wait for the main side, sent or not. Beyond that, it is too slow, and events of batches are left out. */
const MOST_WAITING = 4096;

/** Beyond that, only what happens once in a run is sent. */
const MOST_WAITING_EPOCHS = 4 * MOST_WAITING;

/** With copies of tensors, memory is the limit. */
const MOST_BYTES = 64 * 2 ** 20;

/** Reading a longer message would hold up the page. */
const MOST_IN_MESSAGE = 256;

/** A page draws 60 times a second: there is no use in more messages. */
const PERIOD_MS = 15;

/**
 * The events on their way to the main side. Training never waits for it: events are sent in groups, and when too many of
 * them have not been dealt with there, later ones are left out.
 */
export class Outbox {
  readonly #port: Port;
  #waiting: EventMessage[] = [];
  /** Of the events that were sent and not dealt with, oldest first. */
  #unanswered: number[] = [];
  #bytes = 0;
  #lastSent = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leftOut = 0;
  #lastLeftOut = '';

  constructor(port: Port) {
    this.#port = port;
  }

  /** Whether an event of a batch, or of an epoch, would be sent. `place` tells events apart that are left out. */
  hasRoom(level: 'batch' | 'epoch', place: () => string): boolean {
    const count = this.#waiting.length + this.#unanswered.length;
    const hasRoom = count < (level === 'batch' ? MOST_WAITING : MOST_WAITING_EPOCHS);
    if (hasRoom && this.#bytes < MOST_BYTES) return true;
    const left = place();
    // The same event is asked about several times.
    if (left !== this.#lastLeftOut) this.#leftOut++;
    this.#lastLeftOut = left;
    return false;
  }

  add(message: EventMessage): void {
    this.#waiting.push(message);
    this.#bytes += bytesOf(message);
    if (performance.now() - this.#lastSent >= PERIOD_MS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), PERIOD_MS);
  }

  /** The main side has dealt with so many events. */
  answered(events: number): void {
    for (const bytes of this.#unanswered.splice(0, events)) this.#bytes -= bytes;
  }

  /** Sends what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastSent = performance.now();
    for (let start = 0; start < this.#waiting.length; start += MOST_IN_MESSAGE) {
      const events = this.#waiting.slice(start, start + MOST_IN_MESSAGE);
      this.#unanswered.push(...events.map(bytesOf));
      this.#port.post({ type: 'events', events, leftOut: this.#leftOut });
    }
    this.#waiting = [];
  }
}

function bytesOf({ copies }: EventMessage): number {
  return Object.values(copies)
    .flat()
    .reduce((sum, { copy }) => sum + copy.data.byteLength, 0);
}
