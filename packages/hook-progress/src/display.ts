import { LiveLine } from './live-line.js';
import { isPlainLineDue } from './plain-pace.js';
import { barLine, type ProgressView, plainLine } from './progress-line.js';
import type { LiveTerminal, ProgressStream } from './terminal.js';

/** Where progress is shown. Times are in milliseconds. */
export interface Display {
  /** There while a line is kept at the bottom of a terminal. */
  readonly terminal: LiveTerminal | undefined;
  /** Whether to show a batch now; cheap, asked for every batch. */
  isDue(done: number, total: number | undefined, time: number): boolean;
  /** Something begins or ends: an epoch, a validation. */
  turn(view: ProgressView, time: number): void;
  /** A batch that was due. */
  update(view: ProgressView, time: number): void;
  /** A line that stays, such as that of an epoch that is over. */
  leave(view: ProgressView): void;
  say(text: string): void;
  end(): void;
}

export function barDisplay(stream: ProgressStream, refreshMs: number): Display {
  const line = new LiveLine(stream);
  let drawn = -Infinity;
  const isDue = (time: number) => time - drawn >= refreshMs;
  const draw = (view: ProgressView, time: number) => {
    drawn = time;
    line.draw((columns) => barLine(view, columns));
  };
  return {
    terminal: line,
    isDue: (_done, _total, time) => isDue(time),
    // Epochs of a few milliseconds must not make the terminal flicker.
    turn: (view, time) => {
      if (isDue(time)) draw(view, time);
    },
    update: draw,
    leave: (view) => line.leave((columns) => barLine(view, columns)),
    say: (text) => line.leave(() => text),
    end: () => line.end(),
  };
}

export function plainDisplay(stream: ProgressStream): Display {
  let last = { done: 0, milliseconds: performance.now() };
  const say = (text: string) => void stream.write(`${text}\n`);
  return {
    terminal: undefined,
    isDue: (done, total, time) => isPlainLineDue({ done, milliseconds: time }, last, total),
    turn: ({ done }, time) => {
      last = { done, milliseconds: time };
    },
    update: (view, time) => {
      last = { done: view.done, milliseconds: time };
      say(plainLine(view));
    },
    leave: (view) => say(plainLine(view)),
    say,
    end: () => {},
  };
}
