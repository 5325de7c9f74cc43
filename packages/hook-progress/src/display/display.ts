import { type LiveTerminal, writeOutput } from '@hookline/hook-api/helpers';
import { barLine, barLines, type ProgressView, plainLine } from '../line/progress-line.js';
import { LiveLines } from './live-lines.js';
import { isPlainLineDue } from './plain-pace.js';
import type { Breaking, ProgressStream } from './terminal.js';

/** Where progress is shown. Times are in milliseconds. */
export interface Display {
  /** Only where lines are kept at the bottom of a terminal. */
  readonly terminal: LiveTerminal | undefined;
  /** Whether to show a batch now; cheap, asked for every batch. */
  isDue(done: number, total: number | undefined, time: number): boolean;
  /** Something begins or ends: an epoch, a validation. */
  turn(views: readonly ProgressView[], time: number): void;
  /** A batch that was due. */
  update(views: readonly ProgressView[], time: number): void;
  /** A line that stays, such as that of an epoch that is over. */
  leave(view: ProgressView): void;
  say(text: string): void;
  end(): void;
}

/** Shows nothing. */
export const NO_DISPLAY: Display = {
  terminal: undefined,
  isDue: () => false,
  turn: () => {},
  update: () => {},
  leave: () => {},
  say: () => {},
  end: () => {},
};

export function barDisplay(stream: ProgressStream, refreshMs: number, breaking: Breaking): Display {
  const lines = new LiveLines(stream, breaking);
  let drawn = -Infinity;
  const isDue = (time: number) => time - drawn >= refreshMs;
  const draw = (views: readonly ProgressView[], time: number) => {
    drawn = time;
    lines.draw((columns) => barLines(views, columns));
  };
  return {
    terminal: lines,
    isDue: (_done, _total, time) => isDue(time),
    // Epochs of a few milliseconds must not make the terminal flicker.
    turn: (views, time) => {
      if (isDue(time)) draw(views, time);
    },
    update: draw,
    leave: (view) => lines.leave((columns) => barLine(view, columns)),
    say: (text) => lines.leave(() => text),
    end: () => lines.end(),
  };
}

export function plainDisplay(stream: ProgressStream): Display {
  let last = { done: 0, milliseconds: performance.now() };
  const say = (text: string) => writeOutput(stream, `${text}\n`);
  return {
    terminal: undefined,
    isDue: (done, total, time) => isPlainLineDue({ done, milliseconds: time }, last, total),
    turn: ([view], time) => {
      last = { done: view?.done ?? 0, milliseconds: time };
    },
    update: (views, time) => {
      for (const view of views) {
        last = { done: view.done, milliseconds: time };
        say(plainLine(view));
      }
    },
    leave: (view) => say(plainLine(view)),
    say,
    end: () => {},
  };
}
