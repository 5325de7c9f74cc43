/** A folder for one run, which nobody else has, and its record. */
export interface RunFolder {
  readonly id: string;
  /** Replaces `run.json` as a whole: a reader finds the old content or the new. */
  write(record: object): void | Promise<void>;
}

/** What the record of a run says about the program. */
export interface ProgramFacts {
  /** The arguments of the program; none in a page. */
  readonly argv: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  readonly platform: string;
}

/** Which classes of the language a value belongs to, also when it comes from another realm. */
export interface ValueKinds {
  isAnyArrayBuffer(value: unknown): value is ArrayBufferLike;
  isDate(value: unknown): value is Date;
  isMap(value: unknown): value is Map<unknown, unknown>;
  isNativeError(value: unknown): value is Error;
  isRegExp(value: unknown): value is RegExp;
  isSet(value: unknown): value is Set<unknown>;
}

/** Tells the code that runs within a section that may wait from code that runs meanwhile. */
export interface AsyncScope {
  /** Undefined outside of `run`. */
  get(): boolean | undefined;
  run<Result>(value: boolean, section: () => Result): Result;
  end(): void;
}

export interface GitState {
  /** The commit's hash, or in plain words why there is none. */
  readonly commit: string;
  /** Whether tracked files differ from the commit; null when that is not known. */
  readonly dirty: boolean | null;
  /** SHA-256 of how tracked files differ from the commit; null when they do not, or that is not known. */
  readonly diff: string | null;
}

export interface ProcessEnd {
  readonly code: number;
  /** What nobody caught; undefined when the process was ended on purpose. */
  readonly error: unknown;
}

/** How far a run is. */
export interface Whereabouts {
  /** Undefined before the run has begun. */
  readonly step: number | undefined;
  /** The hooks whose code is still to be loaded. */
  readonly loading: readonly string[];
}

/** Which graphics card TensorFlow uses, and how. */
export interface GpuSettings {
  /**
   * The number of the card that it may use, as nvidia-smi counts; when absent those that `CUDA_VISIBLE_DEVICES` names, or
   * all. With -1 it uses none.
   */
  gpu?: number;
  /** Whether it takes memory of the card as it needs it, and not all at once; true when absent. */
  memoryGrowth?: boolean;
}

/** What a backend of the project that works has to say. */
export interface ProbeAnswer {
  readonly device: 'cpu' | 'gpu';
  /** The version of the TensorFlow library, or the name of the adapter of WebGPU. */
  readonly library?: string | undefined;
  /** How long it took to load and to compute for the first time. */
  readonly seconds: number;
  /** Why TensorFlow does not use a GPU, where it says so. */
  readonly why?: string | undefined;
}
