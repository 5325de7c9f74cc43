import { publishedPackages } from '../workspace.mjs';

export interface DeclaredHook {
  hook: string;
  /** Of the factory. */
  exported: string;
  folder: string;
  path: string;
}

/** The hooks in the manifests of our packages. */
export const declaredHooks: DeclaredHook[] = publishedPackages().flatMap(
  ({ folder, path, manifest }): DeclaredHook[] =>
    Object.entries<{ export: string }>(manifest.trainerHooks?.hooks ?? {}).map(([hook, entry]) => ({
      hook,
      exported: entry.export,
      folder,
      path,
    })),
);
