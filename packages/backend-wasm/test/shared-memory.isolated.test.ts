import { describe, expect, it } from 'vitest';
import { withSharedMemory } from '../src/module/shared-memory.js';
import { WebAssembly } from '../src/module/web-assembly.js';

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const text = (value: string) => [value.length, ...Buffer.from(value)];
const section = (id: number, content: number[]) => [id, content.length, ...content];
const bytes = (...sections: number[][]) => Uint8Array.from([...HEADER, ...sections.flat()]);

const TYPES = section(1, [1, 0x60, 0, 0]);
const importing = (...imports: number[][]) => section(2, [imports.length, ...imports.flat()]);
const importedMemory = (...limits: number[]) => [...text('env'), ...text('memory'), 2, ...limits];
const importedFunction = [...text('env'), ...text('f'), 0, 0];
const importedTable = (...limits: number[]) => [...text('env'), ...text('t'), 1, 0x70, ...limits];
const importedGlobal = [...text('env'), ...text('g'), 3, 0x7f, 0];
const ownMemory = (...limits: number[]) => section(5, [1, ...limits]);

/** Where two modules differ. */
function changes(before: Uint8Array, after: Uint8Array): [number, number][] {
  expect(after).toHaveLength(before.length);
  return [...before].flatMap((byte, i) => (byte === after[i] ? [] : [[byte, after[i]!] as [number, number]]));
}

const MODULES: Readonly<Record<string, Uint8Array>> = {
  'its own memory': bytes(ownMemory(1, 1, 2)),
  'an imported memory': bytes(importing(importedMemory(1, 1, 2))),
  'a memory imported after a function': bytes(TYPES, importing(importedFunction, importedMemory(1, 1, 2))),
  'a memory imported after tables and a global': bytes(
    importing(importedTable(0, 1), importedTable(1, 1, 2), importedGlobal, importedMemory(1, 1, 2)),
  ),
  'a memory after other sections': bytes(TYPES, section(3, [0]), ownMemory(1, 0x80, 0x02, 0x80, 0x80, 0x04)),
};

describe('a module whose memory is declared shared', () => {
  it.each(Object.entries(MODULES))('differs in one bit, and compiles: %s', (_name, plain) => {
    const shared = withSharedMemory(plain);
    expect(changes(plain, shared)).toEqual([[1, 3]]);
    expect(() => new WebAssembly.Module(shared as never)).not.toThrow();
  });

  it('is a copy: the bytes that were given stay', () => {
    const given = Buffer.from(MODULES['its own memory']!);
    const before = [...given];
    withSharedMemory(given);
    expect([...given]).toEqual(before);
  });

  it.each([
    ['no memory at all', bytes(TYPES)],
    ['a memory without a maximum', bytes(ownMemory(0, 1))],
    ['a memory that is shared already', bytes(ownMemory(3, 1, 2))],
  ])('cannot be made from one with %s', (_name, plain) => {
    expect(() => withSharedMemory(plain)).toThrow(
      expect.objectContaining({
        code: 'NO_THREADS',
        message: expect.stringContaining('leave out the option'),
      }),
    );
  });
});
