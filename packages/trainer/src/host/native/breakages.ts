/** What is known to go wrong with tfjs-node, in words that say what to do. The first that fits counts. */
const BREAKAGES: readonly { sign: RegExp; what: string; fix: (packageName: string) => string }[] = [
  {
    sign: /tfjs_binding\.node/,
    what: 'its addon is missing: the install script was blocked, or could not download it',
    fix: (name) =>
      `npx hookline doctor --fix builds it here. Or let the script run: "npm rebuild ${name}", after "npm install-scripts approve ${name}" or "pnpm approve-builds".`,
  },
  {
    sign: /isNullOrUndefined|util_\d+\.isArray/,
    what: 'it calls functions that Node 23 removed',
    fix: () => 'Import @hookline/trainer before it, which puts them back, or use Node 22.',
  },
  {
    sign: /lib(cudart|cudnn|cublas|cufft|curand|cusolver|cusparse|nvinfer)[^\s:]*/,
    what: 'the CUDA library that it was built for is not here',
    fix: (name) =>
      `${name} 4.22 from its publisher needs CUDA 11.2 and cuDNN 8.1. npx hookline doctor --fix builds it against the library that the Python package tensorflow has.`,
  },
  {
    sign: /libtensorflow[^\s:]*: cannot open shared object/,
    what: 'the TensorFlow library is missing',
    fix: (name) =>
      `npx hookline doctor --fix gets it from Python's package index, "npm rebuild ${name}" from its publisher.`,
  },
  {
    sign: /GLIBC(XX)?_[\d.]+|invalid ELF header|wrong ELF class|not a valid Win32|NODE_MODULE_VERSION/,
    what: 'its addon was built for another system',
    fix: (name) =>
      `npx hookline doctor --fix builds it here; so does "npm rebuild ${name} --build-addon-from-source".`,
  },
  {
    sign: /SIGILL/,
    what: 'it needs instructions that this CPU does not have',
    fix: () =>
      "Use backend: 'wasm', or a TensorFlow library for this CPU: HOOKLINE_LIBTENSORFLOW=<folder> npx hookline doctor --fix.",
  },
];

/** The breakage that a message is a sign of. */
export function knownBreakage(
  message: string,
  packageName: string,
): { what: string; fix: string } | undefined {
  const known = BREAKAGES.find(({ sign }) => sign.test(message));
  return known && { what: known.what, fix: known.fix(packageName) };
}

/** What TensorFlow prints when it wanted a GPU and found none, in a few words. */
export function whyNoGpu(printed: string): string | undefined {
  const library = /[Cc]ould not (?:load dynamic library '|find )(lib[^'\s]+)/.exec(printed)?.[1];
  if (library) return `${library} is missing`;
  if (/Cannot dlopen some GPU libraries/.test(printed))
    return 'libraries of CUDA are missing or of another version';
  if (/failed call to cuInit|[Cc]ould not find cuda drivers|no CUDA-capable device/.test(printed))
    return 'there is no CUDA driver, or no card';
  return undefined;
}
