/** What files hold, by the id of the content. */
export interface Contents {
  /** 0 for what was never written. */
  size(id: string): Promise<number>;
  read(id: string, begin: number, end: number): Promise<Uint8Array>;
  /** Writes from `position` on; a file is written from its beginning to its end. */
  writer(id: string): Promise<ContentWriter>;
  truncate(id: string, size: number): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface ContentWriter {
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** What was written can be read from now on. */
  finish(): Promise<void>;
}
