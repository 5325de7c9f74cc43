import { basename } from 'node:path';
import { didYouMean } from '@hookline/hook-api';
import type { Command } from '@hookline/hook-api/helpers';
import { printable, shortPath } from '#host';
import { trainerError } from '../errors.js';
import { EXPORT_FORMATS, type ExportFormat, exportModel } from '../saved/export-model.js';
import { readFlags } from './read-flags.js';

/** Writes a trained model for use elsewhere. */
export const exportCommand: Command = {
  summary: 'write a trained model for use elsewhere',
  usage: `hookline export <run> [--to <folder>] [--format tfjs] [--checkpoint best] [--no-average]

  <run>         the folder of a run, a folder of checkpoints, or a checkpoint
  --to          the new folder; by default <run>-<format> in the current one
  --format      tfjs         model.json and weights.bin, for tf.loadLayersModel (default)
                safetensors  the weights, by path
                keras        the weights, by the names that Keras gives them
  --checkpoint  best, last, or the name of one; by default the best, or else the last
  --no-average  the weights of training, where \`ema\` kept a moving average of them
`,
  async run(args, write) {
    const [source, ...rest] = args;
    const flags = readFlags(source?.startsWith('-') ? args : rest, {
      to: { type: 'string' },
      format: { type: 'string' },
      checkpoint: { type: 'string' },
      'no-average': { type: 'boolean' },
    });
    if (source === undefined || source.startsWith('-')) {
      throw trainerError('CLI_USAGE', 'Which run? Name its folder.');
    }
    const { to, format = 'tfjs', checkpoint, 'no-average': raw = false } = flags;
    if (!isFormat(format)) {
      throw trainerError(
        'CLI_USAGE',
        `There is no format "${format}".${didYouMean(format, EXPORT_FORMATS)} Known formats: ${EXPORT_FORMATS.join(', ')}.`,
      );
    }
    const target = to ?? `${basename(source)}-${format}`;
    const options = { format, average: !raw, ...(checkpoint !== undefined && { checkpoint }) };
    const exported = await exportModel(source, target, options);
    write(`${printable(`${shortPath(exported.checkpoint)} -> ${shortPath(exported.folder)}`)}\n`);
    for (const [name, { bytes }] of exported.files) write(`  ${name}  ${bytes.toLocaleString('en')} bytes\n`);
    return 0;
  },
};

function isFormat(format: string): format is ExportFormat {
  return (EXPORT_FORMATS as readonly string[]).includes(format);
}
