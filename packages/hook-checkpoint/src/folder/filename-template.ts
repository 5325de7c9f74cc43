import type { HooklineError } from '@hookline/hook-api';
import { shortNumber } from '@hookline/hook-api/helpers';
import { checkpointError } from '../errors.js';
import { safeName } from './safe-name.js';

/** Makes the name of a checkpoint from its values. */
export type FilenameTemplate = (values: Readonly<Record<string, number>>) => string;

const PLACEHOLDER = /\{([^{}:]+)(?::([^{}]*))?\}/g;
/** `05d`, `.2f`, `8.3e`, `.3g`; each part may be left out. */
const SPEC = /^(0?)(\d*)(?:\.(\d+))?([defg]?)$/;
/** In bytes: file systems allow 255, and the folder has a longer name while it is being written. */
const LONGEST = 150;

/**
 * Reads a template such as `epoch_{epoch}_loss_{val/loss:.2f}`. `epoch` (counted from 1), `step` and every metric
 * can be named; a value that is not known is written as `none`.
 */
export function filenameTemplate(template: string, autoInsertMetricName: boolean): FilenameTemplate {
  const rest = template.replace(PLACEHOLDER, '');
  if (/[{}]/.test(rest)) throw templateError(template, 'a brace that belongs to no placeholder');
  if (/[/\\]/.test(rest)) throw templateError(template, 'a slash: checkpoints cannot be in subfolders');
  if (/^\./.test(template))
    throw templateError(template, 'a dot at the start: such names are for files that are being written');
  for (const [, name, spec = ''] of template.matchAll(PLACEHOLDER)) {
    if (SPEC.test(spec)) continue;
    throw templateError(
      template,
      `the format "${spec}" for "${name}", which is unknown (known are "03d", ".2f", ".3e" and the like)`,
    );
  }
  return (values) => {
    const name = template.replace(PLACEHOLDER, (_, key: string, spec = '') => {
      const text = formatted(Object.hasOwn(values, key) ? values[key] : undefined, spec);
      return autoInsertMetricName ? `${key}=${text}` : text;
    });
    // Windows drops dots and spaces at the end, and would not find the folder again.
    return shortened(safeName(name, '_')).replace(/[. ]+$/, '') || 'checkpoint';
  };
}

function shortened(name: string): string {
  const characters = [...name];
  while (new TextEncoder().encode(characters.join('')).length > LONGEST) characters.pop();
  return characters.join('');
}

function formatted(value: number | undefined, spec: string): string {
  if (value === undefined) return 'none';
  if (!Number.isFinite(value)) return String(value).toLowerCase();
  const [, zero, width, precision, type] = SPEC.exec(spec)!;
  const digits = precision === undefined ? undefined : Math.min(100, Number(precision));
  return padded(withType(value, type!, digits), Number(width), zero === '0');
}

function withType(value: number, type: string, digits: number | undefined): string {
  if (type === 'd') return value.toFixed(0);
  if (type === 'f') return value.toFixed(digits ?? 6);
  if (type === 'e') return value.toExponential(digits ?? 6);
  if (digits !== undefined) return String(Number(value.toPrecision(Math.max(1, digits))));
  return Number.isInteger(value) ? String(value) : shortNumber(value);
}

/** Zeros go between the sign and the digits. */
function padded(text: string, width: number, withZeros: boolean): string {
  if (!withZeros) return text.padStart(width, '_');
  const sign = text.startsWith('-') ? '-' : '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function templateError(template: string, problem: string): HooklineError {
  return checkpointError(
    'HOOK_OPTIONS',
    `Hook "checkpoint" was given the filename "${template}", which has ${problem}. ` +
      'Expected a name such as "epoch_{epoch}_loss_{val/loss:.2f}".',
  );
}
