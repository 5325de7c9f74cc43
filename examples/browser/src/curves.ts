import type { Metrics } from '@hookline/hook-api';
import { findRuns, readRun, Series, thin } from '@hookline/run-view';

const [WIDTH, HEIGHT] = [400, 120];

/** Loss and accuracy of training and validation, epoch by epoch. */
export class Curves {
  readonly #place: HTMLElement;
  readonly #series = new Map<string, Series>();
  #isDrawn = true;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** What earlier runs have logged: a tab that is opened again shows all of the training. */
  async restore(): Promise<void> {
    for (const folder of await findRuns('/runs')) {
      for (const { step, epoch, metrics } of (await readRun(folder)).epochs) this.add(step, epoch, metrics);
    }
  }

  add(step: number, epoch: number, metrics: Metrics): void {
    for (const name of ['train/loss', 'val/loss', 'train/accuracy', 'val/accuracy']) {
      const series = this.#series.get(name) ?? new Series(name);
      this.#series.set(name, series);
      // A run that was resumed, or began again, repeats steps.
      series.cutAfter(step - 1);
      if (metrics[name] !== undefined) series.add(step, epoch, metrics[name]);
    }
    // Drawn once a frame, however fast epochs are.
    if (this.#isDrawn) requestAnimationFrame(() => this.#draw());
    this.#isDrawn = false;
  }

  clear(): void {
    this.#series.clear();
    this.#draw();
  }

  /** How many epochs it shows. */
  get length(): number {
    return this.#series.get('train/loss')?.length ?? 0;
  }

  #draw(): void {
    this.#isDrawn = true;
    this.#place.innerHTML = this.length === 0 ? '' : this.#figure('loss', 0) + this.#figure('accuracy', 1);
  }

  #figure(name: 'loss' | 'accuracy', digits: number): string {
    const [train, validation] = [this.#series.get(`train/${name}`)!, this.#series.get(`val/${name}`)!];
    const curves = [thin(train, 300), thin(validation, 300)];
    const last = Math.max(...curves.flatMap(({ steps }) => [...steps]), 1);
    const highest = name === 'accuracy' ? 1 : Math.max(...curves.flatMap(({ values }) => [...values]), 0.001);
    const paths = curves.map(({ steps, values }) =>
      Array.from(steps, (step, i) => `${(WIDTH * step) / last},${HEIGHT * (1 - values[i]! / highest)}`).join(
        ' L',
      ),
    );
    const shown = (value = Number.NaN) =>
      digits === 1 ? `${(100 * value).toFixed(1)} %` : value.toPrecision(3);
    return `<figure>
      <figcaption><b>${name}</b><span class="first">train ${shown(train.latest)}</span>
      <span class="second">validation ${shown(validation.latest)}</span></figcaption>
      <svg viewBox="0 -4 ${WIDTH} ${HEIGHT + 8}" preserveAspectRatio="none" role="img" aria-label="${name} over ${this.length} epochs">
        <line x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}" /><line x1="0" y1="0" x2="${WIDTH}" y2="0" />
        <path class="first" d="M${paths[0]}" /><path class="second" d="M${paths[1]}" />
      </svg></figure>`;
  }
}
