import { pathToFileURL } from 'node:url';

/**
 * Imports a file of the user's, which may be TypeScript or import TypeScript. Node does it, or the loader that the program
 * runs with; what neither of them can link is loaded by jiti. Linking comes before any code runs, so nothing runs twice.
 */
export async function importFile(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    if (!needsJiti(file, error)) throw error;
    // Only here: most projects never need it, and loading it takes longer than everything else in this package.
    const { createJiti } = await import('jiti');
    return createJiti(import.meta.url, { fsCache: false }).import(file);
  }
}

/** What Node cannot read depends on its version: TypeScript at all, enums, `./model.js` that means model.ts. */
function needsJiti(file: string, error: unknown): boolean {
  const { code, message } = Object(error) as NodeJS.ErrnoException;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return /"\.[cm]?tsx?"/.test(message);
  if (/\.[cm]?tsx?$/.test(file)) {
    return (
      code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' ||
      code === 'ERR_MODULE_NOT_FOUND' ||
      (error instanceof SyntaxError && /does not provide an export named/.test(message))
    );
  }
  // Modules in a package whose package.json does not say so.
  return (
    error instanceof SyntaxError &&
    /import statement outside a module|Unexpected token 'export'/.test(message)
  );
}
