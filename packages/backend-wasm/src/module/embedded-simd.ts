import { moduleFromSources } from './from-sources.js';

/** The bytes, or in dist, where the build puts them in place of this file, their base64. */
export function moduleBytes(): Promise<Uint8Array | string> {
  return moduleFromSources('simd');
}
