import { type LogLine, type RunView, ViewBuilder } from '@hookline/run-view';

/** The view of a run that is over as its log would tell it, without a folder. */
export function viewOf(lines: readonly LogLine[] = [], more: Partial<RunView> = {}): RunView {
  return growingView({ status: 'completed', ...more }).add(...lines);
}

/** A view that grows with its lines, as `follow` gives it. */
export function growingView(more: Partial<RunView> = {}): { add(...lines: readonly LogLine[]): RunView } {
  const builder = new ViewBuilder();
  return {
    add: (...lines) => {
      for (const line of lines) builder.add(line);
      const { ended: _ended, seconds: _seconds, ...told } = builder.view();
      return {
        folder: 'runs/a',
        id: 'a',
        status: 'running',
        earlier: [],
        versions: {},
        layers: [],
        hooks: [],
        ...told,
        ...more,
      };
    },
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
