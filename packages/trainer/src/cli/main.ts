#!/usr/bin/env node
import { writeOutput } from '@hookline/hook-api/helpers';
import { runCli } from './run-cli.js';

process.exitCode = await runCli(
  process.argv.slice(2),
  (text) => writeOutput(process.stdout, text),
  (text) => writeOutput(process.stderr, text),
);
