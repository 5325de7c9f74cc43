// Runs the programs that its arguments name, one after the other in one process: loading tfjs takes longer than most of
// them. Writes what each printed to outcomes.json.
import { writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as tf from '@tensorflow/tfjs-core';

const { stdout, stderr } = process;
const write = { stdout: stdout.write, stderr: stderr.write };
const outcomes = [];
const programs = process.argv.slice(2).map((file) => resolve(file));

for (const program of programs) {
  const printed = { stdout: '', stderr: '' };
  stdout.write = keep(printed, 'stdout');
  stderr.write = keep(printed, 'stderr');
  // The page's own folder, which is the root of its project, and the backend that a new process starts with.
  process.chdir(dirname(program));
  if (tf.findBackendFactory('cpu')) await tf.setBackend('cpu');
  let error;
  try {
    await import(pathToFileURL(program).href);
  } catch (thrown) {
    error = { text: String(thrown), stack: String(thrown?.stack ?? thrown) };
  }
  stdout.write = write.stdout;
  stderr.write = write.stderr;
  outcomes.push({ program: `${basename(dirname(program))}/${basename(program)}`, ...printed, error });
}
writeFileSync(new URL('outcomes.json', import.meta.url), JSON.stringify(outcomes));

function keep(printed, stream) {
  return (text) => {
    printed[stream] += text;
    return true;
  };
}
