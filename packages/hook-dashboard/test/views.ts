import { type LogLine, type RunView, ViewBuilder } from '@hookline/run-view';

/** A view that grows with its lines, as `follow` gives it. */
export function growingView(more: Partial<RunView> = {}): {
  add(...lines: readonly LogLine[]): RunView;
} {
  const builder = new ViewBuilder();
  return {
    add: (...lines) => {
      for (const line of lines) builder.add(line);
      const { ended: _ended, seconds: _seconds, ...logged } = builder.view();
      return {
        folder: 'runs/a',
        id: 'a',
        status: 'running',
        earlier: [],
        versions: {},
        layers: [],
        hooks: [],
        ...logged,
        ...more,
      };
    },
  };
}

/** A line of json-log with these numbers. */
export function logged(step: number, metrics: object): LogLine {
  return { event: 'log', epoch: 0, step, metrics };
}
