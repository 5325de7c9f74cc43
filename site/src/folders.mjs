import { join } from 'node:path';
import { root } from '../../scripts/process.mjs';

const dist = join(root, 'site', 'dist');

/** Everything that is generated; none of it is in git. */
export const folders = {
  /** What VitePress reads. */
  pages: join(dist, 'pages'),
  /** What VitePress writes, to be served as it is. */
  site: join(dist, 'site'),
  cache: join(dist, 'cache'),
};
