export type KernelsNativeErrorCode = 'BAD_ARGUMENT' | 'BAD_BINARY';

/** Recognise it by `code`, never by `instanceof`: two copies of this package are normal under pnpm. */
export class KernelsNativeError extends Error {
  override readonly name: string = 'KernelsNativeError';

  constructor(
    readonly code: KernelsNativeErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** An address or a size that leads outside of the memory: nothing was computed. */
export function badArgument(
  kernel: string,
  argument: string,
  value: number,
  bytes: number,
): KernelsNativeError {
  return new KernelsNativeError(
    'BAD_ARGUMENT',
    `${kernel}: \`${argument}\` is ${value}, which is not a valid size, or leads outside of the memory of ${bytes} bytes ` +
      'together with the other sizes. Nothing was computed. This is a mistake in the program that calls the kernel; to ' +
      'continue without native kernels, set HOOKLINE_WASM_NATIVE=0.',
  );
}

/** Fewer arguments than a kernel has, or more: nothing was computed. */
export function wrongCount(kernel: string, names: readonly string[], given: number): KernelsNativeError {
  return new KernelsNativeError(
    'BAD_ARGUMENT',
    `${kernel} takes ${names.length} arguments and was given ${given}. Nothing was computed. Pass all of them, in this ` +
      `order: ${names.join(', ')}.`,
  );
}

export function unknownKernel(name: string, known: readonly string[]): KernelsNativeError {
  return new KernelsNativeError(
    'BAD_ARGUMENT',
    `There is no kernel \`${name}\`. The kernels are: ${known.join(', ')}. Bind one of these.`,
  );
}

/** A file that is there and cannot be used. */
export function badBinary(file: string, cause: unknown): KernelsNativeError {
  const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  return new KernelsNativeError(
    'BAD_BINARY',
    `${file} cannot be loaded: ${why}. Install @hookline/kernels-native again; training continues without it.`,
    { cause },
  );
}
