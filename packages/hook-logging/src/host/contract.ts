/** What json-log asks of the library that makes its lines. */
export interface JsonLogger {
  info(fields: object): void;
  warn(fields: object): void;
  error(fields: object): void;
}

/** Files for the moment when nothing can be awaited any more. */
export interface FilesNow {
  append(path: string, data: string | Uint8Array): void;
  makeFolder(path: string): void;
  read(path: string): string;
  /** Where it has to wait, it gives a promise. */
  rename(from: string, to: string): void | Promise<void>;
  /** 0 when there is no such file. */
  sizeOf(path: string): number;
  write(path: string, text: string): void;
}
