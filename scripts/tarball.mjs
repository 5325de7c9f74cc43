import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

const block = 512;

/**
 * Changes text files in a tarball of npm or pnpm; every other byte of it stays.
 * @param {string} file
 * @param {(name: string, text: string) => string} change Gets every file by its name below `package/`.
 */
export function rewriteTarball(file, change) {
  const parts = entriesOf(file).map(({ header, name, content }) => {
    const text = content.toString('utf8');
    const changed = name === undefined ? text : change(name, text);
    if (changed === text) return Buffer.concat([header, padded(content)]);
    const bytes = Buffer.from(changed);
    return Buffer.concat([withSize(header, bytes.length), padded(bytes)]);
  });
  // Two empty blocks are the end of an archive.
  writeFileSync(file, gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)])));
}

/**
 * @param {string} file
 * @returns {Map<string, string>} Texts by name below `package/`.
 */
export function readTarball(file) {
  const files = entriesOf(file).flatMap(({ name, content }) =>
    name === undefined ? [] : [/** @type {const} */ ([name, content.toString('utf8')])],
  );
  return new Map(files);
}

/**
 * @typedef {object} Entry
 * @property {Buffer} header
 * @property {string | undefined} name Undefined for what is not a plain file: folders, and the records that say more
 *   about the next entry.
 * @property {Buffer} content
 */

/**
 * @param {string} file
 * @returns {Entry[]}
 */
function entriesOf(file) {
  const archive = gunzipSync(readFileSync(file));
  const entries = [];
  let at = 0;
  while (at + block <= archive.length && archive[at] !== 0) {
    const header = archive.subarray(at, at + block);
    const size = Number.parseInt(field(header, 124, 12), 8);
    const isFile = ['0', ''].includes(field(header, 156, 1));
    const name = [field(header, 345, 155), field(header, 0, 100)].filter(Boolean).join('/');
    entries.push({
      header,
      name: isFile ? name.replace(/^package\//, '') : undefined,
      content: archive.subarray(at + block, at + block + size),
    });
    at += block + Math.ceil(size / block) * block;
  }
  return entries;
}

/**
 * The text of a field, which ends at its first zero.
 * @param {Buffer} header
 * @param {number} offset
 * @param {number} length
 */
function field(header, offset, length) {
  return header.toString('utf8', offset, offset + length).replace(/\0[\s\S]*$/, '');
}

/**
 * @param {Buffer} header
 * @param {number} size
 */
function withSize(header, size) {
  const changed = Buffer.from(header);
  changed.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  // The checksum is the sum of all bytes, counted with spaces in its own place.
  changed.write(' '.repeat(8), 148, 'latin1');
  const sum = changed.reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return changed;
}

/** @param {Buffer} content */
function padded(content) {
  const rest = content.length % block;
  return rest === 0 ? content : Buffer.concat([content, Buffer.alloc(block - rest)]);
}
