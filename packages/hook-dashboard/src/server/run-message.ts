import { basename } from 'node:path';
import { type RunView, thin } from '@hookline/run-view';
import type { ShownHook } from './acts.js';

/** A message to the page about a run: everything, or what is new since the last message. */
export interface RunMessage {
  readonly id: string;
  /** The name of its folder, by which pages ask for it. */
  readonly folder: string;
  readonly isWhole: boolean;
  readonly status: string;
  readonly stopReason?: string | undefined;
  readonly failure?: string | undefined;
  readonly startedAt?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly backend?: string | undefined;
  readonly parameters?: number | undefined;
  readonly best?: { readonly metric: string; readonly value: number; readonly epoch: number } | undefined;
  /** What the profiler said. */
  readonly verdict?: string | undefined;
  /** Steps at which the run was taken up again. */
  readonly resumes: readonly number[];
  readonly epochs: number;
  readonly plannedEpochs?: number | undefined;
  readonly warnings: readonly {
    readonly step: number;
    readonly hook?: string | undefined;
    readonly message: string;
  }[];
  /** Steps and values by name; a value that is not finite is null. */
  readonly series: Readonly<Record<string, readonly [readonly number[], readonly (number | null)[]]>>;
}

/** Whether a run can be acted on, and its hooks with what they cost so far; null where it cannot. */
export interface ControlsMessage {
  readonly folder: string;
  readonly hooks: readonly ShownHook[] | null;
}

const MOST_SERIES = 100;
const MOST_POINTS = 2_000;
const LATEST_WARNINGS = 50;

/** Everything, thinned, for a page that was just opened. */
export function wholeMessage(view: RunView): RunMessage {
  return messageOf(view, true, (name) => {
    const { steps, values } = thin(view.series.get(name)!, MOST_POINTS);
    return [Array.from(steps), Array.from(values, finite)];
  });
}

/** Remembers what was told, and tells the rest. */
export class News {
  readonly #told = new Map<string, number>();

  /** Notes what a whole message holds. */
  skip(view: RunView): void {
    for (const name of shown(view)) this.#told.set(name, view.series.get(name)!.points().steps.at(-1) ?? -1);
  }

  /** Whether steps that were told have been taken back: a run that was resumed does them again. */
  isOutdated({ series }: RunView): boolean {
    return [...this.#told].some(([name, last]) => (series.get(name)?.points().steps.at(-1) ?? -1) < last);
  }

  of(view: RunView): RunMessage {
    return messageOf(view, false, (name) => {
      const { steps, values } = view.series.get(name)!.points();
      const last = this.#told.get(name) ?? -1;
      let from = steps.length;
      while (from > 0 && steps[from - 1]! > last) from--;
      this.#told.set(name, steps.at(-1) ?? last);
      return [Array.from(steps.subarray(from)), Array.from(values.subarray(from), finite)];
    });
  }
}

type PointsOf = (name: string) => [number[], (number | null)[]];

function messageOf(view: RunView, isWhole: boolean, pointsOf: PointsOf): RunMessage {
  const points = shown(view).map((name) => [name, pointsOf(name)] as const);
  return {
    id: view.id,
    folder: basename(view.folder),
    isWhole,
    status: view.status,
    stopReason: view.stopReason,
    failure: view.failure,
    startedAt: view.startedAt,
    durationMs: view.durationMs,
    backend: view.backend,
    parameters: view.parameters,
    best: view.best,
    verdict: view.profile?.verdict,
    resumes: view.resumes.map(({ step }) => step),
    epochs: view.epochs.at(-1)?.isCutShort ? view.epochs.length - 1 : view.epochs.length,
    plannedEpochs: view.plannedEpochs,
    warnings: view.warnings
      .slice(-LATEST_WARNINGS)
      .map(({ step, hook, message }) => ({ step, hook, message })),
    series: Object.fromEntries(points.filter(([, [steps]]) => isWhole || steps.length > 0)),
  };
}

/** Series of single parameters would fill the page. */
function shown({ series }: RunView): string[] {
  return [...series.keys()].filter((name) => name.split('/').length <= 3).slice(0, MOST_SERIES);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(7)) : null;
}
