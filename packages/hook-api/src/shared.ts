/** A typed name for data that one hook leaves for another; equal names are the same key in every package. */
export interface SharedKey<Value> {
  readonly name: string;
  /** Does not exist at run time: it carries the type. */
  readonly value?: Value;
}

/** Data that hooks leave for each other, for the length of one run. */
export interface SharedMap {
  get<Value>(key: SharedKey<Value>): Value | undefined;
  set<Value>(key: SharedKey<Value>, value: NoInfer<Value>): void;
  has(key: SharedKey<unknown>): boolean;
  delete(key: SharedKey<unknown>): boolean;
}

/** @example const quality = sharedKey<number>('data-quality'); ctx.shared.set(quality, 0.95); */
export function sharedKey<Value>(name: string): SharedKey<Value> {
  return { name };
}
