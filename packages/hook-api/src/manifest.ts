/** `trainerHooks` in a package.json, as it is written. */
export type TrainerHooksField = string | TrainerHooksManifest;

export interface TrainerHooksManifest {
  schema: 1;
  /** Hook name to entry file, relative to the package. */
  hooks: Record<string, string | TrainerHookEntry>;
}

export interface TrainerHookEntry {
  /** Path inside the package, starting with `./`. */
  entry: string;
  /** Named export that holds the factory; `default` when absent. */
  export?: string;
  description?: string;
  /** `false`: listed, but on only when the user names it. */
  autoload?: boolean;
}

/** One hook of a valid manifest, every default filled in. */
export interface ManifestHook {
  name: string;
  entry: string;
  export: string;
  description: string;
  autoload: boolean;
}

export interface ManifestProblem {
  /** Where, as in `trainerHooks.hooks["early-stopping"].entry`. */
  path: string;
  message: string;
}

export interface ManifestReport {
  hooks: ManifestHook[];
  /** Any of these rejects the whole manifest. */
  problems: ManifestProblem[];
  /** Unknown keys: of a later version, or mistyped. */
  warnings: ManifestProblem[];
}
