import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { follow, type RunView, readRun } from '@hookline/run-view';
import type { Controls } from './acts.js';
import { type ControlsMessage, News, type RunMessage, wholeMessage } from './run-message.js';

/** A page that does not read what it was sent gets nothing more until it has. */
const MOST_UNREAD = 2 ** 20;
/** Costs of hooks and whether the run can be acted on are looked at as often. */
const CONTROLS_MS = 2_000;

export interface FeedOptions {
  readonly everyMs: number;
  readonly controls: () => Promise<Controls | undefined>;
  readonly onEmpty: () => void;
}

/** What happens in one run, to every page that shows it. One look at the folder serves all pages. */
export class RunFeed {
  readonly #pages = new Set<ServerResponse>();
  /** Pages that have missed something, and need everything again. */
  readonly #behind = new Set<ServerResponse>();
  readonly #news = new News();
  readonly #abort = new AbortController();
  #latest: RunView | undefined;
  #controls: string | undefined;

  constructor(
    private readonly folder: string,
    private readonly options: FeedOptions,
  ) {
    void this.#follow();
    void this.#watchControls();
  }

  join(page: ServerResponse): void {
    this.#pages.add(page);
    page.once('close', () => this.#leave(page));
    if (this.#latest) page.write(textOf('run', wholeMessage(this.#latest)));
    if (this.#controls !== undefined) page.write(this.#controls);
  }

  close(): void {
    this.#abort.abort();
  }

  /** Ends, and tells every page how the run ended. Whoever opened the pages ends them: one may show other runs too. */
  async finish(): Promise<void> {
    this.close();
    if (this.#pages.size === 0) return;
    const last = textOf('run', wholeMessage(await readRun(this.folder)));
    for (const page of this.#pages) page.write(last);
  }

  #leave(page: ServerResponse): void {
    this.#pages.delete(page);
    this.#behind.delete(page);
    if (this.#pages.size > 0) return;
    this.close();
    this.options.onEmpty();
  }

  async #follow(): Promise<void> {
    const { everyMs } = this.options;
    const { signal } = this.#abort;
    for await (const view of follow(this.folder, { everyMs, signal })) {
      // It may have been reading when the end came, and a page that has ended takes nothing more.
      if (signal.aborted) return;
      // A run that turns out to continue another one begins earlier than it seemed.
      const isLonger = this.#latest?.earlier.length !== view.earlier.length;
      const isWhole = isLonger || this.#news.isOutdated(view);
      this.#latest = view;
      if (isWhole) this.#news.skip(view);
      // Once, however many pages there are.
      const text = textOf('run', isWhole ? wholeMessage(view) : this.#news.of(view));
      for (const page of this.#pages) this.#tell(page, text);
    }
  }

  /** Once for all pages; they are told when something has changed. */
  async #watchControls(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const hooks = await this.#hooks();
      if (signal.aborted) return;
      const text = textOf('controls', { folder: this.folder.split(/[\\/]/).at(-1)!, hooks });
      if (text !== this.#controls) for (const page of this.#pages) this.#tell(page, text);
      this.#controls = text;
      await sleep(CONTROLS_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #hooks(): Promise<ControlsMessage['hooks']> {
    try {
      return (await (await this.options.controls())?.hooks()) ?? null;
    } catch {
      return null;
    }
  }

  /** Never waits: what the page does not take yet is kept by the connection, up to the limit. */
  #tell(page: ServerResponse, text: string): void {
    if (page.writableLength > MOST_UNREAD) {
      this.#behind.add(page);
      return;
    }
    if (!this.#behind.delete(page)) page.write(text);
    else if (this.#latest) page.write(textOf('run', wholeMessage(this.#latest)));
  }
}

function textOf(event: string, message: RunMessage | ControlsMessage): string {
  return `event: ${event}\ndata: ${JSON.stringify(message)}\n\n`;
}
