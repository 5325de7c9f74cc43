import { HooklineError, isFatal } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';

/** An error as it can be sent: a structured clone loses its code. */
export interface PlainError {
  name: string;
  message: string;
  code: string | undefined;
  stack: string | undefined;
  isFatal: boolean;
  cause: PlainError | undefined;
}

/** How many causes of causes are sent: a chain may be a ring. */
const MAX_CAUSES = 5;

export function toPlain(error: unknown, depth: number = MAX_CAUSES): PlainError {
  const { name, code, stack, cause } = Object(error) as Partial<HooklineError>;
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: messageOf(error),
    code: typeof code === 'string' ? code : undefined,
    stack: typeof stack === 'string' ? stack : undefined,
    isFatal: isFatal(error),
    cause: cause === undefined || depth === 0 ? undefined : toPlain(cause, depth - 1),
  };
}

/** The error again, with the stack that it had where it was thrown. */
export function fromPlain({ name, message, code, stack, isFatal: fatal, cause }: PlainError): Error {
  const options = cause && { cause: fromPlain(cause) };
  const error = code === undefined ? new Error(message, options) : new HooklineError(code, message, options);
  if (stack !== undefined) error.stack = stack;
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true });
  if (fatal) Object.defineProperty(error, Symbol.for('hookline.fatal'), { value: true });
  return error;
}
