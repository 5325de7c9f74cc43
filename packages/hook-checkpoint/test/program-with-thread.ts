import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

const made = new Map<string, Promise<string>>();

/** A program of this package as one file, with the thread that writes checkpoints beside it. */
export function programWithThread(source: URL): Promise<string> {
  const program = made.get(source.href) ?? make(source);
  made.set(source.href, program);
  return program;
}

async function make(source: URL): Promise<string> {
  const program = await bundledProgram(source, PACKAGE);
  const thread = await bundledProgram(new URL('../src/host/save-thread.ts', import.meta.url), PACKAGE);
  const folder = program.replace(/\.mjs$/, '');
  await mkdir(folder, { recursive: true });
  await copyFile(program, join(folder, 'program.mjs'));
  await copyFile(thread, join(folder, 'save-thread.mjs'));
  return join(folder, 'program.mjs');
}
