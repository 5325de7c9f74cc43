import { isRelative, replaceLinks, repositoryLink } from './markdown-links.mjs';

/**
 * The README of a package as its page in the registry shows it. That page has none of the repository's files, so a
 * relative link becomes an absolute one, or plain text while the repository has no address.
 * @param {string} readme
 * @param {string} path Of the package in the repository.
 * @param {string | undefined} address Of the repository.
 */
export function packedReadme(readme, path, address) {
  return replaceLinks(readme, (link) =>
    isRelative(link.target) ? repositoryLink(link, path, address) : link.text,
  );
}
