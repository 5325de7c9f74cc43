/** Where a command writes to; the terminal, or a test. */
export type Write = (text: string) => void;

/** A command of `hookline`. A package names the file that exports it, as `command`, in `trainerCommands` of its package.json. */
export interface Command {
  summary: string;
  /** What `--help` prints. */
  usage: string;
  /**
   * Returns the exit code. An error with the code `CLI_USAGE` is printed with `usage`, and the exit code is 2; any other
   * error is printed, and the exit code is 1.
   */
  run(args: readonly string[], write: Write): number | Promise<number>;
}
