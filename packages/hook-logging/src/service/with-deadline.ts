import { loggingError } from '../errors.js';

/** The result of `work`, or an error with this message when it takes longer than so many milliseconds. */
export async function withDeadline<Value>(
  work: Promise<Value>,
  milliseconds: number,
  message: string,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(loggingError('LOG_SERVICE', message)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
