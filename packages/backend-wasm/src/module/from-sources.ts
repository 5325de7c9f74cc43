/**
 * The module, compiled from the sources of this package. Used only where the package itself runs from its sources, as in
 * tests: the build replaces the two files that call this with the bytes.
 */
export async function moduleFromSources(variant: 'simd' | 'fma'): Promise<Uint8Array> {
  const compiler = new URL('../../scripts/compile.ts', import.meta.url).href;
  const { compiledModule } = (await import(/* @vite-ignore */ compiler)) as {
    compiledModule(variant: string): Promise<Uint8Array>;
  };
  return compiledModule(variant);
}
