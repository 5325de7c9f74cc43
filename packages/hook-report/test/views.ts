import { type LogLine, type RunView, ViewBuilder } from '@hookline/run-view';

/** The view of a run as its log would tell it, without a folder. */
export function viewOf(lines: readonly LogLine[] = [], more: Partial<RunView> = {}): RunView {
  const builder = new ViewBuilder();
  for (const line of lines) builder.add(line);
  const { ended: _ended, seconds: _seconds, ...logged } = builder.view();
  return {
    folder: 'runs/a',
    id: 'a',
    status: 'completed',
    earlier: [],
    versions: {},
    layers: [],
    hooks: [],
    ...logged,
    ...more,
  };
}

/** A line of json-log with these numbers. */
export function logged(step: number, metrics: object): LogLine {
  return { event: 'log', epoch: 0, step, metrics };
}

/** The end of an epoch of ten steps. */
export function epochLine(epoch: number, metrics: object): LogLine {
  return { event: 'epoch', epoch, step: 10 * (epoch + 1), metrics };
}

/** What a reader sees: no tags, no scripts. */
export function textOf(html: string): string {
  return html
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
