// After an install in the repository: the addon of this machine, where it has a compiler. Nothing needs it.
import { buildAddon, findCompiler } from './build.mjs';

const { platform, arch } = process;
if (platform !== 'linux' || arch !== 'x64') {
  console.log(`kernels-native: not built on ${platform} ${arch}; training uses WebAssembly`);
} else {
  const compiler = await findCompiler();
  if (compiler) {
    await buildAddon('linux-x64-gnu', compiler).catch((error) => {
      console.log(
        `kernels-native: not built, training uses WebAssembly: ${String(error.message).split('\n').slice(0, 3).join(' ')}`,
      );
    });
  } else {
    console.log('kernels-native: not built, because there is no C compiler; training uses WebAssembly');
  }
}
