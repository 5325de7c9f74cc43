/** The part of the WebAssembly API that is used here: neither Node's types nor the ES library describe it. */
export interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  compile(bytes: Uint8Array): Promise<CompiledModule>;
  Module: new (bytes: Uint8Array) => CompiledModule;
  Instance: new (module: CompiledModule, imports: { env: { memory: Memory } }) => { exports: unknown };
}

export type CompiledModule = object & { readonly __compiled?: never };

export interface Memory {
  readonly buffer: ArrayBufferLike;
}

/** Whether threads can share it. */
export function isShared({ buffer }: Memory): boolean {
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]';
}

export const WebAssembly: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi })
  .WebAssembly;
