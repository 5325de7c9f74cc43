import { IRIS, IRIS_LICENCE } from './iris.js';

export interface ProjectOptions {
  readonly name: string;
  readonly isTypeScript: boolean;
}

/** The files of a new project, by path. */
export function projectFiles({ name, isTypeScript }: ProjectOptions): Readonly<Record<string, string>> {
  const end = isTypeScript ? 'ts' : 'js';
  /** Only in TypeScript. */
  const ts = (text: string) => (isTypeScript ? text : '');
  return {
    'package.json': packageJson(name, isTypeScript),
    [`hookline.config.${end}`]: config(end, ts),
    [`model.${end}`]: model(ts),
    [`data.${end}`]: data(ts),
    [`hooks/milestones.${end}`]: milestones(ts),
    'data/iris.csv': IRIS,
    'data/README.md': IRIS_LICENCE,
    'README.md': readme(name, end),
    '.gitignore': 'node_modules/\nruns/\n',
    ...(isTypeScript && { 'tsconfig.json': TSCONFIG }),
  };
}

type OnlyInTypeScript = (text: string) => string;

function packageJson(name: string, isTypeScript: boolean): string {
  const hookline = [
    'hook-api',
    'hook-checkpoint',
    'hook-early-stopping',
    'hook-logging',
    'hook-progress',
    'trainer',
  ];
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      train: 'hookline train',
      resume: 'hookline resume',
      runs: 'hookline runs',
      ...(isTypeScript && { typecheck: 'tsc' }),
    },
    dependencies: {
      // The lockfile keeps the versions that are the latest when the project is installed.
      ...Object.fromEntries(hookline.map((each) => [`@hookline/${each}`, 'latest'])),
      '@tensorflow/tfjs-core': '^4.22.0',
      '@tensorflow/tfjs-layers': '^4.22.0',
    },
    ...(isTypeScript && { devDependencies: { '@types/node': '^20.19.0', typescript: '^5.9.0' } }),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function config(end: string, ts: OnlyInTypeScript): string {
  return `${ts(`// So that the editor knows the options of these hooks.
${['checkpoint', 'early-stopping'].map((hook) => `import type {} from '@hookline/hook-${hook}';\n`).join('')}`)}import { defineConfig } from '@hookline/trainer';

export default defineConfig({
  model: './model.${end}#createModel',
  data: './data.${end}#loadData',
  loss: 'sparseCategoricalCrossentropy',
  metrics: ['accuracy'],
  optimizer: { name: 'adam', lr: 0.02 },
  seed: 1,
  // What createModel() gets: npx hookline train --set hyperparameters.units=32
  hyperparameters: { units: 16 },
  // Installed hooks are on by themselves; this says what is different, and adds your own.
  hooks: {
    'early-stopping': { patience: 10 },
    './hooks/milestones.${end}#milestones': { levels: [0.8, 0.9, 0.95] },
  },
  fit: { epochs: 60, batchSize: 16 },
});
`;
}

function model(ts: OnlyInTypeScript): string {
  return `import { layers, ${ts('type Sequential, ')}sequential } from '@tensorflow/tfjs-layers';

/** Called once the seed is set, so that the same seed gives the same weights. */
export function createModel({ units }${ts(': { units: number }')})${ts(': Sequential')} {
  return sequential({
    layers: [
      layers.dense({ units, activation: 'relu', inputShape: [4] }),
      layers.dense({ units: 3, activation: 'softmax' }),
    ],
  });
}
`;
}

function data(ts: OnlyInTypeScript): string {
  return `import { readFileSync } from 'node:fs';
${ts("import type { DataSets } from '@hookline/trainer';\n")}
const SPECIES = ['setosa', 'versicolor', 'virginica'];

/** Of every ten flowers, seven are trained on, two validate, and one tests. */
export function loadData()${ts(': DataSets')} {
  const text = readFileSync(new URL('./data/iris.csv', import.meta.url), 'utf8');
  const rows = text.trim().split('\\n').slice(1).map((line) => line.split(','));
  const part = (from${ts(': number')}, to${ts(': number')}) => {
    const chosen = rows.filter((_, index) => index % 10 >= from && index % 10 < to);
    return {
      xs: chosen.map((row) => row.slice(0, 4).map(Number)),
      ys: chosen.map((row) => SPECIES.indexOf(row[4]${ts(" ?? ''")})),
    };
  };
  return { train: part(0, 7), validation: part(7, 9), test: part(9, 10) };
}
`;
}

function milestones(ts: OnlyInTypeScript): string {
  return `import { defineHook${ts(', type Hook')} } from '@hookline/hook-api';

/** A hook of your own: reports when the accuracy on the validation data reaches a level. */
export function milestones({ levels = [0.9] }${ts(': { levels?: number[] }')} = {})${ts(': Hook')} {
  const reached = new Set${ts('<number>')}();
  return defineHook({
    name: 'milestones',
    onEpochEnd(ctx, { epoch, metrics }) {
      for (const level of levels) {
        if (reached.has(level) || !((metrics['val/accuracy'] ?? 0) >= level)) continue;
        reached.add(level);
        ctx.logger.info(\`val/accuracy reached \${level} in epoch \${epoch + 1}\`);
      }
    },
    // Saved with every checkpoint, so that a resumed run does not report a level again.
    saveState: () => [...reached],
    loadState(state) {
      for (const level of state${ts(' as number[]')}) reached.add(level);
    },
  });
}
`;
}

function readme(name: string, end: string): string {
  return `# ${name}

Trains a small classifier of irises with Hookline.

\`\`\`sh
npm install
npx hookline train
\`\`\`

| file | what it holds |
|---|---|
| \`hookline.config.${end}\` | what is trained, on what, how, and with which hooks |
| \`model.${end}\`, \`data.${end}\` | the model and the data that it names |
| \`hooks/milestones.${end}\` | a hook of your own |
| \`data/iris.csv\` | 150 irises; \`data/README.md\` names the source and the licence |
| \`runs/\` | a folder for each run: its record, log and checkpoints |

\`\`\`sh
npx hookline train --set fit.epochs=20 --set hooks.early-stopping.patience=3
npx hookline resume          # after Ctrl-C: continues the latest run, to the same bits
npx hookline runs            # lists the runs
npx hookline compare a b     # by the beginnings of their ids
npx hookline reproduce a     # trains a run again, and says whether every bit is the same
npx hookline hooks           # the hooks that are on, and their order
\`\`\`
`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "types": ["node"]
  },
  "include": ["*.ts", "hooks"]
}
`;
