import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../../scripts/workspace.mjs';
import { folders } from './folders.mjs';
import { sectionsOfPages } from './pages.mjs';

/** @typedef {import('vitepress').DefaultTheme.SidebarItem} Item */

/**
 * The sections of the outline, then the API reference.
 * @returns {Item[]}
 */
export function sidebar() {
  const sections = sectionsOfPages().map(({ title, collapsed, pages }) => ({
    text: title,
    collapsed,
    items: pages.map(itemOf),
  }));
  return [...sections, { text: 'API reference', collapsed: true, items: apiItems() }];
}

/**
 * A package with several hooks has one page, and a line for each of them.
 * @param {import('./pages.mjs').Page} page
 * @returns {Item}
 */
function itemOf({ route, title, hooks }) {
  const link = `/${route}`;
  if (hooks.length < 2) return { text: title, link };
  return { text: title, link, items: hooks.map((hook) => ({ text: hook, link: `${link}#${hook}` })) };
}

/** @returns {Item[]} */
function apiItems() {
  const api = join(folders.pages, 'api');
  if (!existsSync(api)) return [];
  return filesBelow(api)
    .map((file) => file.slice(api.length + 1, -'.md'.length).replaceAll('\\', '/'))
    .filter((name) => name !== 'index')
    .sort()
    .map((name) => ({ text: name.replace('@hookline/', ''), link: `/api/${name}` }));
}
