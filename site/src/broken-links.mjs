import { readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { filesBelow } from '../../scripts/workspace.mjs';

/**
 * What is wrong with the links and images of a built site, each with its page: a page, file or anchor that does not exist,
 * or an address outside of it that cannot be one. Nothing is fetched.
 * @param {string} folder
 * @param {string} base The address of the site's root, with a slash at both ends.
 * @returns {string[]}
 */
export function brokenLinks(folder, base) {
  const files = new Set(filesBelow(folder).map((file) => relative(folder, file).replaceAll('\\', '/')));
  const pages = [...files].filter((file) => file.endsWith('.html'));
  const html = new Map(pages.map((page) => [page, withoutCode(readFileSync(join(folder, page), 'utf8'))]));
  const anchors = new Map([...html].map(([page, text]) => [page, new Set(valuesOf(text, 'id'))]));

  /**
   * @param {string} page
   * @param {string} link
   */
  const problem = (page, link) => {
    if (/^[a-z][a-z+.-]*:/i.test(link)) return isAddress(link) ? undefined : 'is not an address';
    const [path = '', anchor = ''] = link.split('#');
    const target = path === '' ? page : fileOf(posix.join(base, posix.dirname(page)), path, base);
    if (!files.has(target)) return 'leads to no file';
    if (anchor === '' || anchors.get(target)?.has(decodeURIComponent(anchor))) return undefined;
    return 'leads to no heading';
  };

  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const [page, text] of html) {
    for (const link of new Set([...valuesOf(text, 'href'), ...valuesOf(text, 'src')])) {
      const wrong = problem(page, link);
      if (wrong) found.set(`${link} ${wrong}`, [...(found.get(`${link} ${wrong}`) ?? []), page]);
    }
  }
  // What is in the sidebar is on every page.
  return [...found].map(([wrong, [first, ...more]]) =>
    more.length === 0 ? `${first}: ${wrong}` : `${first} and ${more.length} more: ${wrong}`,
  );
}

/**
 * @param {string} folder Of the page that has the link.
 * @param {string} path
 * @param {string} base
 */
function fileOf(folder, path, base) {
  const full = decodeURIComponent(path.startsWith('/') ? path : posix.join(folder, path)).split('?')[0] ?? '';
  const file = full.startsWith(base) ? full.slice(base.length) : `outside of ${base}`;
  if (file === '' || file.endsWith('/')) return `${file}index.html`;
  return file;
}

/** @param {string} link */
function isAddress(link) {
  if (/^(mailto|data):/.test(link)) return true;
  try {
    const { protocol, hostname } = new URL(link);
    return /^https?:$/.test(protocol) && hostname.includes('.') && !/%20/.test(link);
  } catch {
    return false;
  }
}

/**
 * Scripts hold text that looks like attributes.
 * @param {string} html
 */
function withoutCode(html) {
  return html.replace(/(<script[^>]*>)[\s\S]*?<\/script>/g, '$1</script>');
}

/**
 * @param {string} html
 * @param {string} attribute
 */
function valuesOf(html, attribute) {
  return [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map((match) =>
    String(match[1]).replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
  );
}
