import { defineConfig } from 'vitepress';
import { anchorOf } from '../../scripts/markdown-links.mjs';
import { repositoryAddress } from '../../scripts/repository.mjs';
import { folders } from '../src/folders.mjs';
import { sidebar } from '../src/sidebar.mjs';

const repository = repositoryAddress();

export default defineConfig({
  lang: 'en',
  title: 'Hookline',
  description: 'Trains TensorFlow.js models from TypeScript, with a loop that hooks can reach into anywhere',
  srcDir: folders.pages,
  outDir: folders.site,
  cacheDir: folders.cache,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon())}` }]],
  // The anchors of code hosts, so that a link in a README works there and here.
  markdown: { anchor: { slugify: anchorOf } },
  // The index of the search is one file, which is fetched by who searches.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    nav: [
      { text: 'Training', link: '/training' },
      { text: 'Events', link: '/events' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      // Who searches for an option wants its description first, and its type after that.
      options: {
        miniSearch: { searchOptions: { boostDocument: (id: string) => (id.includes('/api/') ? 0.3 : 1) } },
      },
    },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
});

/** A hook on its line. */
function icon(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#0e7c86" stroke-width="4" stroke-linecap="round"><path d="M20 3v17a7 7 0 0 1-14 0v-3l4 4"/></svg>`;
}
