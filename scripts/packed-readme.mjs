import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from './process.mjs';

/**
 * The README of a package as its page in the registry shows it. That page has none of the repository's files, so a
 * relative link becomes an absolute one, or plain text while the repository has no address.
 * @param {string} readme
 * @param {string} path Of the package in the repository.
 * @param {string | undefined} address Of the repository.
 */
export function packedReadme(readme, path, address) {
  return outsideCode(readme, (text) =>
    text.replace(markdownLink, (link, image, label, target) => {
      if (!isRelative(target)) return link;
      if (address === undefined) return label;
      return `${image}[${label}](${absolute(target, path, address, image === '!')})`;
    }),
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
  outsideCode(markdown, (text) => {
    targets.push(...[...text.matchAll(markdownLink)].map((match) => String(match[3])));
    return text;
  });
  return targets;
}

/** @param {string} target */
export function isRelative(target) {
  return !/^(?:[a-z][a-z+.-]*:|#)/i.test(target);
}

// The label may hold code with brackets, as in [`list[0]`](...).
const markdownLink = /(!?)\[((?:`[^`]*`|[^\][`])*)\]\(([^()\s]+)\)/g;

/**
 * @param {string} target
 * @param {string} path
 * @param {string} address
 * @param {boolean} isImage
 */
function absolute(target, path, address, isImage) {
  const [file = '', anchor] = target.split('#');
  const place = posix.join(path, file).replace(/\/$/, '');
  const isFolder = existsSync(join(root, place)) && statSync(join(root, place)).isDirectory();
  const view = isImage ? 'raw' : isFolder ? 'tree' : 'blob';
  return `${address}/${view}/HEAD/${place}${anchor === undefined ? '' : `#${anchor}`}`;
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
