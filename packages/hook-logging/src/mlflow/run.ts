import type { HookContext } from '@hookline/hook-api';
import { environmentVariables } from '@hookline/host';
import { loggingError } from '../errors.js';
import { type MlflowClient, MlflowError } from './client.js';
import { chunksOf, type MlflowMetric, type MlflowTag, MOST_METRICS, MOST_PARAMS, tagOf } from './entities.js';
import type { MlflowPost, UnconfirmedRun } from './farewell.js';

export type MlflowStatus = 'FINISHED' | 'FAILED' | 'KILLED';

/** One run on a tracking server. */
export class MlflowRun {
  id = '';
  #unconfirmed: UnconfirmedRun | undefined;

  constructor(private readonly client: MlflowClient) {}

  async create({ run }: HookContext, experiment: string | undefined): Promise<void> {
    const mark = crypto.randomUUID();
    const tags = {
      'mlflow.runName': run.id,
      'mlflow.source.type': 'LOCAL',
      'mlflow.source.git.commit': run.gitCommit,
      'hookline.config-hash': run.configHash,
      'hookline.request': mark,
    };
    const create = {
      start_time: Date.now(),
      tags: Object.entries(tags).map(([key, value]) => tagOf(key, value)),
    };
    this.#unconfirmed = { experiment: experimentOf(experiment), create, filter: undefined };
    const id = this.#unconfirmed.experiment.id ?? (await this.#experimentId(experimentOf(experiment).name!));
    const filter = `tags.\`hookline.request\` = '${mark}'`;
    this.#unconfirmed = { experiment: { id }, create, filter };
    const created = await this.client.post<Answer>('runs/create', { experiment_id: id, ...create });
    this.id = textIn(created, 'run', 'info', 'run_id');
  }

  async logMetrics(metrics: readonly MlflowMetric[]): Promise<void> {
    for (const chunk of chunksOf(metrics, MOST_METRICS)) await this.#post(this.#batch({ metrics: chunk }));
  }

  async logParams(params: readonly MlflowTag[]): Promise<void> {
    for (const chunk of chunksOf(params, MOST_PARAMS)) await this.#post(this.#batch({ params: chunk }));
  }

  setTag(tag: MlflowTag): Promise<void> {
    return this.#post(this.#batch({ tags: [tag] }));
  }

  finish(status: MlflowStatus): Promise<void> {
    return this.#post(this.#end(status));
  }

  /** The last metrics and the status, and the params if they are missing, sent at once while the process ends. */
  finishNow(status: MlflowStatus, metrics: readonly MlflowMetric[], params: readonly MlflowTag[]): void {
    const unconfirmed = this.id === '' ? this.#unconfirmed : undefined;
    if (this.id === '' && !unconfirmed) return;
    const batches = [
      ...chunksOf(params, MOST_PARAMS).map((chunk) => this.#batch({ params: chunk })),
      ...chunksOf(metrics, MOST_METRICS).map((chunk) => this.#batch({ metrics: chunk })),
    ];
    this.client.sendNow({ unconfirmed, posts: [...batches, this.#end(status)] });
  }

  #batch(items: object): MlflowPost {
    return { path: 'runs/log-batch', body: { run_id: this.id, ...items } };
  }

  #end(status: MlflowStatus): MlflowPost {
    return { path: 'runs/update', body: { run_id: this.id, status, end_time: Date.now() } };
  }

  async #post({ path, body }: MlflowPost): Promise<void> {
    await this.client.post(path, body);
  }

  async #experimentId(name: string): Promise<string> {
    const known = await this.#findExperiment(name);
    if (known !== undefined) return known;
    try {
      return textIn(await this.client.post<Answer>('experiments/create', { name }), 'experiment_id');
    } catch (error) {
      // Another run may have been faster.
      const made = await this.#findExperiment(name);
      if (made === undefined) throw error;
      return made;
    }
  }

  async #findExperiment(name: string): Promise<string | undefined> {
    try {
      const found = await this.client.get<Answer>('experiments/get-by-name', { experiment_name: name });
      return textIn(found, 'experiment', 'experiment_id');
    } catch (error) {
      if (error instanceof MlflowError && error.code === 'RESOURCE_DOES_NOT_EXIST') return undefined;
      throw error;
    }
  }
}

/** Anything can be behind an address. */
type Answer = { readonly [name: string]: unknown };

function textIn(answer: Answer, ...path: string[]): string {
  const found = path.reduce<unknown>((value, name) => (Object(value) as Answer)[name], answer);
  if (typeof found === 'string' && found !== '') return found;
  throw loggingError(
    'LOG_SERVICE',
    `the server does not answer as a tracking server does: ${path.join('.')} is missing`,
  );
}

/** Named by the options or the environment; the one that every server has, otherwise. */
function experimentOf(given: string | undefined): UnconfirmedRun['experiment'] {
  const { MLFLOW_EXPERIMENT_NAME, MLFLOW_EXPERIMENT_ID } = environmentVariables();
  const name = given ?? MLFLOW_EXPERIMENT_NAME;
  return name ? { name } : { id: MLFLOW_EXPERIMENT_ID || '0' };
}
