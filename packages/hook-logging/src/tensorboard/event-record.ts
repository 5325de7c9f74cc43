import { crc32c } from './crc32c.js';

/** An event as it is in the file: its length, a checksum of that, the event, and its checksum. */
export function eventRecord(event: Uint8Array): Uint8Array {
  const record = new Uint8Array(8 + 4 + event.length + 4);
  const view = new DataView(record.buffer);
  view.setUint32(0, event.length, true); // 64 bits, of which no event needs the upper half
  view.setUint32(8, masked(crc32c(record.subarray(0, 8))), true);
  record.set(event, 12);
  view.setUint32(12 + event.length, masked(crc32c(event)), true);
  return record;
}

/** The format masks checksums: a checksum of data that itself holds checksums would be weak. */
function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
