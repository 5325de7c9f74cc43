import type { HookContext } from '@hookline/hook-api';
import { type MlflowClient, MlflowError, type MlflowPost } from './client.js';
import { chunksOf, type MlflowMetric, type MlflowTag, MOST_METRICS, MOST_PARAMS, tagOf } from './entities.js';

export type MlflowStatus = 'FINISHED' | 'FAILED' | 'KILLED';

/** One run on a tracking server. */
export class MlflowRun {
  id = '';

  constructor(private readonly client: MlflowClient) {}

  async create({ run }: HookContext, experiment: string | undefined): Promise<void> {
    const tags = {
      'mlflow.runName': run.id,
      'mlflow.source.type': 'LOCAL',
      'mlflow.source.git.commit': run.gitCommit,
      'hookline.config-hash': run.configHash,
    };
    const created = await this.client.post<{ run: { info: { run_id: string } } }>('runs/create', {
      experiment_id: await this.#experimentId(experiment),
      start_time: Date.now(),
      tags: Object.entries(tags).map(([key, value]) => tagOf(key, value)),
    });
    this.id = created.run.info.run_id;
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

  /** The last metrics and the status, sent at once while the process ends. */
  finishNow(status: MlflowStatus, metrics: readonly MlflowMetric[]): void {
    if (this.id === '') return; // the server has no run yet
    const batches = chunksOf(metrics, MOST_METRICS).map((chunk) => this.#batch({ metrics: chunk }));
    this.client.postNow([...batches, this.#end(status)]);
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

  async #experimentId(given: string | undefined): Promise<string> {
    const { MLFLOW_EXPERIMENT_NAME, MLFLOW_EXPERIMENT_ID } = process.env;
    const name = given ?? MLFLOW_EXPERIMENT_NAME;
    if (!name) return MLFLOW_EXPERIMENT_ID || '0';
    const known = await this.#findExperiment(name);
    if (known !== undefined) return known;
    try {
      const created = await this.client.post<{ experiment_id: string }>('experiments/create', { name });
      return created.experiment_id;
    } catch (error) {
      // Another run may have been faster.
      const made = await this.#findExperiment(name);
      if (made === undefined) throw error;
      return made;
    }
  }

  async #findExperiment(name: string): Promise<string | undefined> {
    try {
      const query = { experiment_name: name };
      const found = await this.client.get<{ experiment: { experiment_id: string } }>(
        'experiments/get-by-name',
        query,
      );
      return found.experiment.experiment_id;
    } catch (error) {
      if (error instanceof MlflowError && error.code === 'RESOURCE_DOES_NOT_EXIST') return undefined;
      throw error;
    }
  }
}
