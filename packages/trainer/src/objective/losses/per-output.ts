import { didYouMean } from '@hookline/hook-api';
import { type TrainerErrorCode, trainerError } from '../../errors.js';

/** One value for every output, or one for each: in the outputs' order, or by their names. */
export type PerOutput<Value> = Value | readonly Value[] | Readonly<Record<string, Value>>;

/** Picks the value for an output; undefined where there is none. */
export function ofOutput<Value>(
  given: PerOutput<Value> | undefined,
  isOne: (given: unknown) => given is Value,
): (name: string, index: number) => Value | undefined {
  if (given === undefined || isOne(given)) return () => given;
  if (Array.isArray(given)) return (_name, index) => (given as readonly Value[])[index];
  const byName = given as Readonly<Record<string, Value>>;
  return (name) => (Object.hasOwn(byName, name) ? byName[name] : undefined);
}

/** What follows from the names of outputs, worked out again only when they are others: it is asked for every batch. */
export function latestFor<Value>(
  make: (outputs: readonly string[]) => Value,
): (outputs: readonly string[]) => Value {
  let latest: { outputs: readonly string[]; value: Value } | undefined;
  return (outputs) => {
    const isSame =
      latest?.outputs.length === outputs.length && outputs.every((name, i) => name === latest!.outputs[i]);
    if (!isSame) latest = { outputs: [...outputs], value: make(outputs) };
    return latest!.value;
  };
}

/** Throws on a name that no output has. */
export function checkOutputNames(
  what: string,
  names: readonly string[],
  outputs: readonly string[],
  code: TrainerErrorCode,
): void {
  const unknown = names.find((name) => !outputs.includes(name));
  if (unknown === undefined) return;
  throw trainerError(
    code,
    `${what} names "${unknown}", which is not an output of the model.${didYouMean(unknown, outputs)} Outputs: ${outputs.join(', ')}.`,
  );
}
