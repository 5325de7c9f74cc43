import { isSecret } from './secrets.js';

/** The arguments of a program as they may be stored: `--token abc`, `--token=abc` and `--set a.token=abc` lose their value. */
export function readableArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const flag = /^--?([\w-]+)$/.exec(args[index - 1] ?? '')?.[1];
    if (isSecret(flag, arg)) return REDACTED;
    const [, name, value] = /^(?:--?)?([^=]+)=([\s\S]*)$/.exec(arg) ?? [];
    return isSecret(name, value) ? arg.slice(0, -value!.length) + REDACTED : arg;
  });
}

const REDACTED = '[redacted]';
