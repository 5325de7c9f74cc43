import { join } from 'node:path';
import { pages, textOf } from '../../scripts/pages.mjs';
import { readJson, root } from '../../scripts/process.mjs';
import { outline } from './outline.mjs';

/**
 * @typedef {object} Page
 * @property {string} source Relative to the repository.
 * @property {string} route Its address on the site, without a slash in front.
 * @property {string} title For the sidebar.
 * @property {string[]} hooks The hooks that it describes.
 */

/**
 * @typedef {object} SectionOfPages
 * @property {string} title
 * @property {boolean} collapsed
 * @property {Page[]} pages
 */

export const home = 'site/home.md';

/**
 * The pages of the site, in the order of the outline. Every page that people read is one, except those about the
 * private folders of the repository.
 * @param {import('./outline.mjs').Section[]} [sections]
 * @param {Page[]} [all]
 * @returns {SectionOfPages[]}
 */
export function sectionsOfPages(sections = outline, all = allPages()) {
  const named = new Set(sections.flatMap(({ routes }) => routes));
  const taken = new Set();
  /** @param {string} route */
  const take = (route) => {
    const found = route.includes('*')
      ? all.filter((page) => matches(page.route, route) && !named.has(page.route) && !taken.has(page))
      : all.filter((page) => page.route === route);
    if (found.length === 0 && !route.includes('*')) {
      throw new Error(`the outline of the site names "${route}", but no page has that address`);
    }
    for (const page of found) taken.add(page);
    return found;
  };
  const result = sections.map(({ title, routes, collapsed = false }) => ({
    title,
    collapsed,
    pages: routes.flatMap(take),
  }));
  const missing = all.filter((page) => !taken.has(page)).map(({ source }) => source);
  if (missing.length > 0) throw new Error(`no line of the outline of the site takes ${missing.join(', ')}`);
  return result;
}

/** @returns {Page[]} */
export function allPages() {
  return pages()
    .filter((source) => source !== home && !/^(testing|site)\//.test(source))
    .map(pageOf);
}

/** @param {string} source */
function pageOf(source) {
  const title = /^# (.+)$/m.exec(textOf(source))?.[1]?.replaceAll('`', '') ?? source;
  const [top = '', name = ''] = source.split('/');
  if (source === 'README.md') return { source, route: 'overview', title: 'Overview', hooks: [] };
  if (source === 'SECURITY.md')
    return { source, route: 'security-policy', title: 'Security policy', hooks: [] };
  if (top === 'docs') return { source, route: source.slice('docs/'.length, -'.md'.length), title, hooks: [] };
  if (top === 'packages') return packagePage(source, name);
  if (name === '')
    return { source, route: top.slice(0, -3).toLowerCase().replaceAll('_', '-'), title, hooks: [] };
  return { source, route: source.slice(0, -'/README.md'.length), title, hooks: [] };
}

/**
 * @param {string} source
 * @param {string} name
 */
function packagePage(source, name) {
  const hooks = Object.keys(readJson(join(root, 'packages', name, 'package.json')).trainerHooks?.hooks ?? {});
  if (hooks.length === 0) return { source, route: `packages/${name}`, title: name, hooks };
  const short = name.replace(/^hook-/, '');
  return { source, route: `hooks/${short}`, title: hooks.length === 1 ? String(hooks[0]) : short, hooks };
}

/**
 * @param {string} route
 * @param {string} pattern A `*` is one part of the address.
 */
function matches(route, pattern) {
  const parts = pattern.split('/');
  const given = route.split('/');
  return parts.length === given.length && parts.every((part, index) => part === '*' || part === given[index]);
}
