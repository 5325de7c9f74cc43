import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from './process.mjs';

/**
 * @typedef {object} Link
 * @property {string} text The whole link, as it is written.
 * @property {string} label
 * @property {string} target
 * @property {boolean} isImage
 */

// The label may hold code with brackets, as in [`list[0]`](...).
const markdownLink = /(!?)\[((?:`[^`]*`|[^\][`])*)\]\(([^()\s]+)\)/g;

/**
 * The page with every link outside of code replaced by what `change` makes of it.
 * @param {string} markdown
 * @param {(link: Link) => string} change
 */
export function replaceLinks(markdown, change) {
  return outsideCode(markdown, (part) =>
    part.replace(markdownLink, (text, image, label, target) =>
      change({ text, label, target, isImage: image === '!' }),
    ),
  );
}

/**
 * The targets of all links outside of code.
 * @param {string} markdown
 * @returns {string[]}
 */
export function linksIn(markdown) {
  /** @type {string[]} */
  const targets = [];
  replaceLinks(markdown, ({ text, target }) => {
    targets.push(target);
    return text;
  });
  return targets;
}

/** @param {string} target */
export function isRelative(target) {
  return !/^(?:[a-z][a-z+.-]*:|#)/i.test(target);
}

/**
 * A link to a file or folder of the repository, for readers who have only the page: absolute, or plain text while the
 * repository has no address.
 * @param {Link} link
 * @param {string} folder The folder of the page in the repository.
 * @param {string | undefined} address Of the repository.
 */
export function repositoryLink({ label, target, isImage }, folder, address) {
  if (address === undefined) return label;
  const [file = '', anchor] = target.split('#');
  const place = posix.join(folder, file).replace(/\/$/, '');
  const isFolder = existsSync(join(root, place)) && statSync(join(root, place)).isDirectory();
  const view = isImage ? 'raw' : isFolder ? 'tree' : 'blob';
  const hash = anchor === undefined ? '' : `#${anchor}`;
  return `${isImage ? '!' : ''}[${label}](${address}/${view}/HEAD/${place}${hash})`;
}

/**
 * How code hosts name a heading in addresses: in small letters, without punctuation, with hyphens.
 * @param {string} heading
 */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/**
 * @param {string} markdown
 * @param {(text: string) => string} change
 */
function outsideCode(markdown, change) {
  return markdown
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
}
