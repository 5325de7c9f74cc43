// Zips of folders, for Python's zipfile to open.
import { writeZip } from '../packages/host/src/zip/zip.js';

const FILES = {
  'run.json': Buffer.from('{}'),
  'checkpoints/last/model.safetensors': Buffer.from(Uint8Array.from({ length: 3000 }, (_, i) => i % 251)),
  'größe.txt': Buffer.alloc(0),
};

console.log(
  JSON.stringify({
    zip: Buffer.from(writeZip(new Map(Object.entries(FILES)))).toString('base64'),
    files: Object.entries(FILES).map(([name, bytes]) => [name, bytes.toString('base64')]),
  }),
);
