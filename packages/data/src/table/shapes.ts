/** The shape of one sample; `null` where any size will do. */
export type SampleShape = readonly (number | null)[];

export interface NamedShape {
  name: string;
  shape: SampleShape;
  /** How many classes there are, at an output whose targets are class numbers. */
  classes?: number;
  /** The label of what has none, which is not a class. */
  ignoreLabel?: number;
}

/** The shape of one sample at each input and output, where the model knows it. */
export interface SampleShapes {
  inputs: readonly NamedShape[];
  outputs: readonly NamedShape[];
}

/** The shape of a sample by the column's path (`xs`, `xs/image`, `ys`), for typed arrays. */
export type ColumnShapes = Readonly<Record<string, readonly number[]>>;

/** Where the shapes of typed arrays come from: the user, else the model. */
export interface ShapeHints {
  columns?: ColumnShapes | undefined;
  model?: SampleShapes | undefined;
}
