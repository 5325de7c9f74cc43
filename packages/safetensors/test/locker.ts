// Locks the folder it is given, says how that went, and stays.
import { lockFolder } from '../src/node.js';

try {
  await lockFolder(process.argv[2]!);
  console.log('locked');
} catch (error) {
  console.log((error as { code: string }).code);
}
setInterval(() => {}, 1000);
