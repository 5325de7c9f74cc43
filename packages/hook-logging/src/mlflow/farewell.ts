export interface MlflowPost {
  readonly path: string;
  readonly body: object;
}

/** A run that the server has not confirmed yet. */
export interface UnconfirmedRun {
  /** Of the experiment: its id, or what it is to be found by. */
  readonly experiment: { readonly id?: string; readonly name?: string };
  /** What `runs/create` is asked for, without the experiment. */
  readonly create: object;
  /** With which `runs/search` finds it, where the request is on its way. */
  readonly filter: string | undefined;
}

/** The last words of a run. */
export interface Farewell {
  readonly unconfirmed?: UnconfirmedRun | undefined;
  /** Their `run_id` is filled in where the run is unconfirmed. */
  readonly posts: readonly MlflowPost[];
}
