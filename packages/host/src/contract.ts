/** What is known of a file or folder. */
export interface FileStats {
  readonly size: number;
  readonly mtimeMs: number;
  /** 0 after it was removed while it was open. */
  readonly nlink: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

export interface FolderEntry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** An open file. Its methods are those of Node's that are used. */
export interface FileHandle {
  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  write(
    from: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  appendFile(data: string | Uint8Array): Promise<void>;
  writeFile(data: string | Uint8Array): Promise<void>;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileStats>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** `wx` makes a new file and fails where there is one. */
export type OpenFlags = 'r' | 'w' | 'wx' | 'a';

/** The parts of node:fs/promises that are used. Failures have the codes of Node: ENOENT, EEXIST, ENOSPC, ... */
export interface FileSystem {
  lstat(path: string): Promise<FileStats>;
  mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<unknown>;
  open(path: string, flags: OpenFlags): Promise<FileHandle>;
  readdir(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): Promise<void>;
  utimes(path: string, accessed: Date, modified: Date): Promise<void>;
}

/** What reads and writes whole files. */
export interface WholeFiles {
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  stat(path: string): Promise<FileStats>;
}

/** Gives the names in a folder, and whether each is a folder. */
export type ListFolder = (path: string) => Promise<FolderEntry[]>;

/** SHA-256, piece by piece. */
export interface Sha256 {
  update(data: string | Uint8Array): Sha256;
  /** In hexadecimal digits. */
  digest(): string;
}

/** Says which process something belongs to; short enough for the name of a file. In a browser, a page or worker is one. */
export interface ProcessMark {
  /** The machine; on Linux also its boot and the space in which its process ids mean anything (a container has its own). */
  readonly host: string;
  readonly pid: number;
  /** When it began: ids are used again, in containers by the very next process. 0 when the system does not tell. */
  readonly start: number;
  /** On Linux, where it is known: whoever began before the machine was last started is gone. */
  readonly boot?: BootMark | undefined;
}

/** Says which start of which machine something belongs to. */
export interface BootMark {
  readonly machine: string;
  readonly boot: string;
}

/** `elsewhere` when this machine cannot know. */
export type Fate = 'alive' | 'dead' | 'elsewhere';

/** The paths of the host; in a browser they begin at `/`, and `resolve` starts there. */
export interface Paths {
  readonly sep: string;
  basename(path: string): string;
  dirname(path: string): string;
  extname(path: string): string;
  isAbsolute(path: string): boolean;
  join(...parts: string[]): string;
  relative(from: string, to: string): string;
  resolve(...parts: string[]): string;
}

/** Where text for people goes: a stream of the process, or the console of a browser. */
export interface TextStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string, done?: (error?: Error | null) => void): unknown;
  on?(event: 'resize' | 'error', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
  removeListener?(event: 'error', listener: () => void): unknown;
}

/** The end of the process and its signals. In a browser nothing is ever heard of them. */
export interface ProcessEvents {
  on(event: string, listener: (...args: never[]) => void): void;
  off(event: string, listener: (...args: never[]) => void): void;
  listeners(event: string): readonly object[];
  /** Sends this process a signal. */
  raise(signal: string): void;
}
