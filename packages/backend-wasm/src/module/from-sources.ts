/**
 * The module as the sources of this package have it now. Only what runs from the sources, as tests do, comes here: the
 * build puts the bytes in place of the two files that call this.
 */
export async function moduleFromSources(variant: 'simd' | 'fma'): Promise<Uint8Array> {
  const compiler = new URL('../../scripts/compile.ts', import.meta.url).href;
  const { compiledModule } = (await import(/* @vite-ignore */ compiler)) as {
    compiledModule(variant: string): Promise<Uint8Array>;
  };
  return compiledModule(variant);
}
