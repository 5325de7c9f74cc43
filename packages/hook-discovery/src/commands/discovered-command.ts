/** A command that a dependency brings. */
export interface DiscoveredCommand {
  name: string;
  summary: string;
  package: string;
  version: string;
  /** The folder of its package, symbolic links resolved. */
  dir: string;
  /** The file that exports it, relative to the package. */
  entry: string;
  /** Why it cannot be used; undefined when it can. */
  problem: string | undefined;
}
