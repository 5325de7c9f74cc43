import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { follow, type RunView, readRun } from '@hookline/run-view';
import { News, type RunMessage, wholeMessage } from './run-message.js';

/** A page that does not read what it was sent gets nothing more until it has. */
const MOST_UNREAD = 2 ** 20;
const PATIENCE_MS = 500;

/** What happens in one run, to every page that shows it. One look at the folder serves all pages. */
export class RunFeed {
  readonly #pages = new Set<ServerResponse>();
  /** Pages that have missed something, and need everything again. */
  readonly #behind = new Set<ServerResponse>();
  readonly #news = new News();
  readonly #abort = new AbortController();
  #latest: RunView | undefined;

  constructor(
    private readonly folder: string,
    private readonly everyMs: number,
    private readonly onEmpty: () => void,
  ) {
    void this.#follow();
  }

  join(page: ServerResponse): void {
    this.#pages.add(page);
    page.once('close', () => this.#leave(page));
    if (this.#latest) page.write(textOf(wholeMessage(this.#latest)));
  }

  close(): void {
    this.#abort.abort();
  }

  /** Tells every page how the run ended, and ends. A page that does not read is not waited for. */
  async finish(): Promise<void> {
    this.close();
    if (this.#pages.size === 0) return;
    const last = textOf(wholeMessage(await readRun(this.folder)));
    const told = [...this.#pages].map((page) => new Promise<void>((resolve) => page.end(last, resolve)));
    await Promise.race([Promise.all(told), sleep(PATIENCE_MS)]);
  }

  #leave(page: ServerResponse): void {
    this.#pages.delete(page);
    this.#behind.delete(page);
    if (this.#pages.size > 0) return;
    this.close();
    this.onEmpty();
  }

  async #follow(): Promise<void> {
    for await (const view of follow(this.folder, { everyMs: this.everyMs, signal: this.#abort.signal })) {
      const isFirst = this.#latest === undefined;
      this.#latest = view;
      if (isFirst) this.#news.skip(view);
      // Once, however many pages there are.
      const text = textOf(isFirst ? wholeMessage(view) : this.#news.of(view));
      for (const page of this.#pages) this.#tell(page, text);
    }
  }

  /** Never waits: what the page does not take yet is kept by the connection, up to the limit. */
  #tell(page: ServerResponse, text: string): void {
    if (page.writableLength > MOST_UNREAD) {
      this.#behind.add(page);
      return;
    }
    page.write(this.#behind.delete(page) ? textOf(wholeMessage(this.#latest!)) : text);
  }
}

function textOf(message: RunMessage): string {
  return `event: run\ndata: ${JSON.stringify(message)}\n\n`;
}
