/**
 * Reads event files as the format is documented: records of a length, a checksum of it, an event and its checksum,
 * events as protocol buffers. It shares nothing with what writes them.
 */
export interface DecodedEvent {
  wallTime: number;
  step: number;
  version?: string;
  sessionStatus?: number;
  values: DecodedValue[];
}

export interface DecodedValue {
  tag: string;
  plugin?: string;
  pluginContent?: Uint8Array;
  scalar?: number;
  histogram?: {
    min: number;
    max: number;
    num: number;
    sum: number;
    sumSquares: number;
    limits: number[];
    counts: number[];
  };
  text?: string[];
}

/** Throws when a record is cut off or a checksum is wrong. */
export function decodeEventFile(file: Uint8Array): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 0; at < file.length; ) {
    const length = Number(view.getBigUint64(at, true));
    expectChecksum(file.subarray(at, at + 8), view.getUint32(at + 8, true), 'length');
    const event = file.subarray(at + 12, at + 12 + length);
    expectChecksum(event, view.getUint32(at + 12 + length, true), 'event');
    events.push(decodeEvent(event));
    at += 12 + length + 4;
  }
  return events;
}

/** Bit by bit, as the definition has it. */
export function slowCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffffn;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0x82f63b78n : crc >> 1n;
  }
  return Number(crc ^ 0xffffffffn);
}

function expectChecksum(bytes: Uint8Array, stored: number, what: string): void {
  const crc = BigInt(slowCrc32c(bytes));
  const rotated = ((crc >> 15n) | (crc << 17n)) & 0xffffffffn;
  const expected = Number((rotated + 0xa282ead8n) & 0xffffffffn);
  if (stored !== expected) throw new Error(`wrong checksum of the ${what}: ${stored}, expected ${expected}`);
}

type Field = { number: number; varint: bigint; bytes: Uint8Array; double: number; float: number };

/** The fields of a message, each read in the ways its wire type allows. */
export function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('a number is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = Number(varint());
    const field: Field = { number: key >> 3, varint: 0n, bytes: new Uint8Array(), double: 0, float: 0 };
    const type = key & 7;
    if (type === 0) {
      field.varint = varint();
    } else if (type === 1) {
      field.double = view.getFloat64(at, true);
      at += 8;
    } else if (type === 5) {
      field.float = view.getFloat32(at, true);
      at += 4;
    } else if (type === 2) {
      const length = Number(varint());
      if (at + length > message.length) throw new Error('a field is cut off');
      field.bytes = message.subarray(at, at + length);
      at += length;
    } else {
      throw new Error(`wire type ${type}`);
    }
    fields.push(field);
  }
  return fields;
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

function decodeEvent(message: Uint8Array): DecodedEvent {
  const event: DecodedEvent = { wallTime: 0, step: 0, values: [] };
  for (const { number, double, varint, bytes } of fieldsOf(message)) {
    if (number === 1) event.wallTime = double;
    else if (number === 2) event.step = Number(varint);
    else if (number === 3) event.version = textOf(bytes);
    else if (number === 5) event.values.push(...fieldsOf(bytes).map((value) => decodeValue(value.bytes)));
    else if (number === 7)
      event.sessionStatus = Number(fieldsOf(bytes).find((field) => field.number === 1)!.varint);
  }
  return event;
}

function decodeValue(message: Uint8Array): DecodedValue {
  const value: DecodedValue = { tag: '' };
  for (const { number, bytes, float } of fieldsOf(message)) {
    if (number === 1) value.tag = textOf(bytes);
    else if (number === 2) value.scalar = float;
    else if (number === 5) value.histogram = decodeHistogram(bytes);
    else if (number === 8)
      value.text = fieldsOf(bytes).flatMap((field) => (field.number === 8 ? [textOf(field.bytes)] : []));
    else if (number === 9) {
      const data = fieldsOf(bytes).find((field) => field.number === 1)!.bytes;
      for (const field of fieldsOf(data)) {
        if (field.number === 1) value.plugin = textOf(field.bytes);
        else if (field.number === 2) value.pluginContent = field.bytes;
      }
    }
  }
  return value;
}

function decodeHistogram(message: Uint8Array): NonNullable<DecodedValue['histogram']> {
  const fields = fieldsOf(message);
  const double = (number: number) => fields.find((field) => field.number === number)!.double;
  const doubles = (number: number) => {
    const { bytes } = fields.find((field) => field.number === number)!;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Array.from({ length: bytes.length / 8 }, (_, index) => view.getFloat64(8 * index, true));
  };
  return {
    min: double(1),
    max: double(2),
    num: double(3),
    sum: double(4),
    sumSquares: double(5),
    limits: doubles(6),
    counts: doubles(7),
  };
}
