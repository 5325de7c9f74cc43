import { relative } from 'node:path';
import { type CreateHookOptions, createHook } from './create-hook.js';

const USAGE = `npm create trainer-hook <name>

Writes the package of a new hook for Hookline: source, tests, README, workflow.

  npm create trainer-hook my-hook          trainer-hook-my-hook, in the folder my-hook
  npm create trainer-hook @acme/my-hook    @acme/trainer-hook-my-hook, in the folder my-hook
`;

interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** Returns the exit code: 0 fine, 1 nothing was written, 2 wrongly called. */
export function runCli(
  args: readonly string[],
  { out, err }: Output,
  options: CreateHookOptions = {},
): number {
  if (args.includes('--help') || args.includes('-h')) {
    out(USAGE);
    return 0;
  }
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith('-') || rest.length > 0) {
    err(
      name === undefined
        ? `The name of the hook is missing.\n\n${USAGE}`
        : `Expected one name, got: ${args.join(' ')}\n\n${USAGE}`,
    );
    return 2;
  }
  try {
    const made = createHook(name, options);
    const folder = relative(options.cwd ?? process.cwd(), made.folder);
    out(`${made.package} is in ${folder}, ${made.files.length} files. Its hook is "${made.hook}".

  cd ${folder}
  npm install
  npm test         builds it, and holds it to what every hook promises
  npm publish      from then on, installing it switches the hook on
`);
    return 0;
  } catch (error) {
    err(`${(error as Error).message}\n`);
    return 1;
  }
}
