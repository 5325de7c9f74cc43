// Builds the documentation site into site/dist/site and checks its links: node site/run.mjs [--serve]
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, serve } from 'vitepress';
import { root } from '../scripts/process.mjs';
import { writeApi } from './src/api.mjs';
import { brokenLinks } from './src/broken-links.mjs';
import { folders } from './src/folders.mjs';
import { writePages } from './src/write-pages.mjs';

const site = join(root, 'site');
const base = process.env.HOOKLINE_SITE_BASE || '/';

rmSync(folders.pages, { recursive: true, force: true });
writePages(folders.pages);
await writeApi(join(folders.pages, 'api'));
await build(site, { base });

const broken = brokenLinks(folders.site, base);
if (broken.length > 0) {
  console.error(`broken links:\n  ${broken.join('\n  ')}`);
  process.exitCode = 1;
} else {
  console.log(`every link leads somewhere; the site is in ${folders.site}`);
}
if (process.argv.includes('--serve')) await serve({ root: site, base, port: 4173 });
