const DATA_SECTION = 11;

/**
 * The module works in the memory of the backend. A data segment, which a table, a string or an array would bring,
 * would be written over what the backend keeps there: the build fails on one.
 */
export function assertNoData(bytes: Uint8Array, name: string): void {
  for (const { id, size } of sections(bytes)) {
    if (id === DATA_SECTION) {
      throw new Error(`The ${name} module has a data segment of ${size} bytes: it may use nothing static.`);
    }
  }
}

function* sections(bytes: Uint8Array): Generator<{ id: number; size: number }> {
  let at = 8;
  while (at < bytes.length) {
    const id = bytes[at++]!;
    let size = 0;
    let shift = 0;
    let byte: number;
    do {
      byte = bytes[at++]!;
      size += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte & 128);
    yield { id, size };
    at += size;
  }
}
