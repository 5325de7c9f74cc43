import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { isRelative, replaceLinks, repositoryLink } from '../../scripts/markdown-links.mjs';
import { textOf } from '../../scripts/pages.mjs';
import { root } from '../../scripts/process.mjs';
import { repositoryAddress } from '../../scripts/repository.mjs';
import { withDiagrams } from './diagram.mjs';
import { allPages, home } from './pages.mjs';

/**
 * @typedef {object} Places
 * @property {Map<string, string>} routes By the page's file in the repository.
 * @property {string | undefined} address Of the repository.
 * @property {(image: string) => string} imageAddress For an image of the repository.
 */

/**
 * Writes the pages of the repository into a folder, as the site needs them: links between pages lead to pages, links to
 * other files lead to the repository, and diagrams are drawn.
 * @param {string} folder
 */
export function writePages(folder) {
  const pages = allPages();
  const routes = new Map(pages.map(({ source, route }) => [source, route]));
  const places = { routes, address: repositoryAddress(), imageAddress: copyImage };
  for (const { source, route } of pages) write(route, sitePage(textOf(source), source, places));
  write('index', sitePage(textOf(home), home, places));

  /**
   * @param {string} route
   * @param {string} text
   */
  function write(route, text) {
    const file = join(folder, `${route}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** @param {string} image */
  function copyImage(image) {
    const copy = join(folder, 'public', 'images', image);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(root, image), copy);
    return `/images/${image}`;
  }
}

/**
 * @param {string} text
 * @param {string} source
 * @param {Places} places
 */
export function sitePage(text, source, { routes, address, imageAddress }) {
  const folder = posix.dirname(source);
  return replaceLinks(withDiagrams(text, source), (link) => {
    if (!isRelative(link.target)) return link.text;
    const [file = '', anchor] = link.target.split('#');
    const place = posix.join(folder, file).replace(/\/$/, '');
    if (link.isImage) return `![${link.label}](${imageAddress(place)})`;
    const route = routes.get(place) ?? routes.get(posix.join(place, 'README.md'));
    if (route === undefined) return repositoryLink(link, folder, address);
    return `[${link.label}](/${route}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}
