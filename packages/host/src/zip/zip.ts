import { crc32 } from './crc32.js';

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
/** Names are UTF-8. */
const UTF8 = 0x800;
/** The first moment that a zip can name: what is in it says itself when it was made. */
const DATE = 0x21;
const LARGEST = 2 ** 32 - 1;

/** A zip of files that are not compressed: tensors hardly are, and every tool opens it. Names have slashes. */
export function writeZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const encoded = new TextEncoder().encode(name);
    const common = [UTF8, 0, 0, DATE] as const;
    const sums = [crc32(bytes), bytes.length, bytes.length] as const;
    const local = record(LOCAL, [20, ...common], sums, [encoded.length, 0]);
    const listed = record(CENTRAL, [20, 20, ...common], sums, [encoded.length, 0, 0, 0, 0], [0, at]);
    parts.push(local, encoded, bytes);
    directory.push(listed, encoded);
    at += local.length + encoded.length + bytes.length;
  }
  const listed = directory.reduce((sum, { length }) => sum + length, 0);
  if (at + listed > LARGEST || files.size > 0xffff) {
    throw new RangeError(
      'A zip of this kind holds at most 4 GB in 65,535 files. Pack single checkpoints instead.',
    );
  }
  const end = record(END, [0, 0, files.size, files.size], [listed, at], [0]);
  return joined([...parts, ...directory, end]);
}

/** The files of a zip that `writeZip` made, or another program without compression. Throws on what is damaged. */
export function readZip(zip: Uint8Array): Map<string, Uint8Array> {
  try {
    return filesOf(zip);
  } catch (error) {
    // A number in it leads behind its end.
    if (error instanceof RangeError) throw damaged('its list of files is broken');
    throw error;
  }
}

function filesOf(zip: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = endOf(view);
  const files = new Map<string, Uint8Array>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > zip.length || view.getUint32(at, true) !== CENTRAL)
      throw damaged('its list of files is broken');
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength!));
    if (view.getUint16(at + 10, true) !== 0)
      throw damaged(`"${name}" is compressed; pack it without compression`);
    const start = view.getUint32(at + 42, true);
    const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    const bytes = zip.slice(data, data + view.getUint32(at + 20, true));
    if (crc32(bytes) !== view.getUint32(at + 16, true))
      throw damaged(`the bytes of "${name}" are not those that were packed`);
    if (!name.endsWith('/')) files.set(name, bytes);
    at += 46 + nameLength! + extra! + comment!;
  }
  return files;
}

function endOf(view: DataView): number {
  for (let at = view.byteLength - 22; at >= 0 && at > view.byteLength - 22 - 0xffff; at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw damaged('it has no end, so it is not a zip or was cut off');
}

/** Two bytes for each of `shorts`, four for each of `words`, and so on in turn. */
function record(mark: number, ...groups: readonly (readonly number[])[]): Uint8Array {
  const sizes = groups.map((group, i) => group.length * (i % 2 === 0 ? 2 : 4));
  const bytes = new Uint8Array(4 + sizes.reduce((sum, size) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, mark, true);
  let at = 4;
  for (const [i, group] of groups.entries()) {
    for (const value of group) {
      if (i % 2 === 0) view.setUint16(at, value, true);
      else view.setUint32(at, value, true);
      at += i % 2 === 0 ? 2 : 4;
    }
  }
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function damaged(why: string): Error {
  return Object.assign(new Error(`The zip cannot be read: ${why}.`), { code: 'BAD_ZIP' });
}
