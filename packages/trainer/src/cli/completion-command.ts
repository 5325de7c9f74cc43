import { didYouMean } from '@hookline/hook-api';
import type { Command } from '@hookline/hook-api/helpers';
import { trainerError } from '../errors.js';
import { readArguments } from './read-flags.js';

/** Each command, with its options. */
type Words = Readonly<Record<string, readonly string[]>>;

const SHELLS: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish };

/** Prints what makes a shell complete `hookline`: its commands and their options. */
export function completionCommand(usages: () => Readonly<Record<string, string>>): Command {
  return {
    summary: 'print a completion script for your shell',
    usage: `hookline completion <bash|zsh|fish>

  bash  eval "$(npx hookline completion bash)"     in ~/.bashrc
  zsh   eval "$(npx hookline completion zsh)"      in ~/.zshrc, after compinit
  fish  npx hookline completion fish > ~/.config/fish/completions/hookline.fish
`,
    run(args, write) {
      const [shell] = readArguments(args, {}, 1).positionals;
      const print = shell !== undefined && Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (!print) {
        const hint =
          shell === undefined
            ? 'Which shell?'
            : `There is no completion for "${shell}".${didYouMean(shell, Object.keys(SHELLS))}`;
        throw trainerError('CLI_USAGE', `${hint} Known: ${Object.keys(SHELLS).join(', ')}.`);
      }
      const words = Object.entries(usages()).map(([name, usage]) => [name, optionsIn(usage)]);
      write(print(Object.fromEntries(words)));
      return 0;
    },
  };
}

/** The options that a usage text names. */
function optionsIn(usage: string): string[] {
  return [...new Set(['--help', ...(usage.match(/(?<=[\s[])--[a-z][a-z-]*/g) ?? [])])].sort();
}

function bash(words: Words): string {
  const cases = Object.entries(words).map(
    ([name, options]) => `    ${name}) words='${options.join(' ')}' ;;`,
  );
  return `_hookline() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${Object.keys(words).join(' ')}'; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hookline hookline
`;
}

function zsh(words: Words): string {
  const cases = Object.entries(words).map(
    ([name, options]) => `    ${name}) compadd -- ${options.join(' ')}; _files ;;`,
  );
  return `_hookline() {
  if (( CURRENT == 2 )); then compadd -- ${Object.keys(words).join(' ')}; return; fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _hookline hookline
`;
}

function fish(words: Words): string {
  const lines = Object.entries(words).flatMap(([name, options]) => [
    `complete -c hookline -n __fish_use_subcommand -f -a ${name}`,
    ...options.map(
      (option) => `complete -c hookline -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
