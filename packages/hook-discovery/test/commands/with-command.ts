import type { Files } from '@hookline/test-support';

export const GREET = `export const command = { summary: 's', usage: 'u', run: () => 3 };`;

/** The files of a package that brings one command, in ./command.js unless `entry` says otherwise. */
export function withCommand(name: string, code = GREET, entry = './command.js', json: object = {}): Files {
  const trainerCommands = { [name]: { entry, summary: `does ${name}` } };
  return {
    'package.json': { name: 'any', version: '1.2.3', type: 'module', trainerCommands, ...json },
    'command.js': code,
  };
}
