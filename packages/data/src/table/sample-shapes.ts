/** The shape of one sample at each input and output, where the model can tell. */
export interface SampleShapes {
  inputs: readonly NamedShape[];
  outputs: readonly NamedShape[];
}

export interface NamedShape {
  name: string;
  /** `null` where any size will do. */
  shape: readonly (number | null)[];
  /** Of an output whose targets are class numbers: how many classes there are. */
  classes?: number;
}
