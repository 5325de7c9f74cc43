/** The platforms that have a binary: each is a package of that name behind `@hookline/kernels-native-`. */
export const PLATFORMS = ['linux-x64-gnu', 'linux-x64-musl', 'darwin-x64', 'win32-x64'] as const;

export type Platform = (typeof PLATFORMS)[number];

/** Those that this process may belong to. Which C library it uses shows when the binary is loaded. */
export function platformsHere(): readonly Platform[] {
  const name = `${process.platform}-${process.arch}`;
  return PLATFORMS.filter((each) => each === name || each.startsWith(`${name}-`));
}
