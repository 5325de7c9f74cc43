import { vi } from 'vitest';
import { runCli } from '../../src/cli/run-cli.js';

/** What a command printed, and its exit code. */
export interface Called {
  code: number;
  out: string;
  err: string;
}

/** `hookline <args>`, in this process. */
export async function hookline(...args: string[]): Promise<Called> {
  const called: Called = { code: 0, out: '', err: '' };
  called.code = await runCli(
    args,
    (text) => {
      called.out += text;
    },
    (text) => {
      called.err += text;
    },
  );
  return called;
}

/** `hookline <args>`, with `root` as the current folder. */
export async function hooklineIn(root: string, ...args: string[]): Promise<Called> {
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(root);
  try {
    return await hookline(...args);
  } finally {
    cwd.mockRestore();
  }
}
