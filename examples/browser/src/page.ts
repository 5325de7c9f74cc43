import { defineHook } from '@hookline/hook-api';
import { rm } from '@hookline/host';
import { trainInWorker, type WorkerTraining } from '@hookline/worker';
import { Curves } from './curves.js';
import { DrawingPad } from './drawing-pad.js';
import type { Answer, Question } from './guesser.js';

const EPOCHS = 60;
/** Set while it trains: a tab that was closed meanwhile goes on when it is opened again. */
const TRAINING = 'hookline-example-training';

const by = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const [train, stop, forget, download] = ['train', 'stop', 'forget', 'download'].map((id) =>
  by<HTMLButtonElement>(id),
);
const curves = new Curves(by('curves'));
const guesser = new Worker(new URL('./guesser.ts', import.meta.url), { type: 'module' });
const ask = (question: Question) => guesser.postMessage(question);
const pad = new DrawingPad(by('pad'), (pixels) => (pixels ? ask({ ask: 'guess', pixels }) : showGuess([])));

let training: WorkerTraining | undefined;

/** Runs in the page, while the training that it watches runs in the worker. */
const watching = defineHook({
  name: 'page',
  onTrainStart(ctx, { epochs }) {
    const { step, completedEpochs } = ctx.state;
    say(
      step > 0
        ? `Continues with epoch ${completedEpochs + 1} of ${epochs}, step ${step}.`
        : 'Training begins.',
    );
  },
  onTrainBatchEnd(ctx, { loss }) {
    say(
      `Epoch ${ctx.state.epoch + 1} of ${EPOCHS}, step ${ctx.state.step}, loss ${loss?.toPrecision(3)}, on ${ctx.state.backend}.`,
    );
  },
  onEpochEnd: (ctx, { epoch, metrics }) => curves.add(ctx.state.step, epoch, metrics),
  onCheckpointSave: (_ctx, { path }) => ask({ ask: 'load', path }),
});

async function start(): Promise<void> {
  localStorage.setItem(TRAINING, 'on');
  say('Starting the worker ...');
  training = trainInWorker(() => new Worker(new URL('./training.ts', import.meta.url), { type: 'module' }), {
    settings: { epochs: EPOCHS },
    hooks: [watching],
  });
  setButtons();
  try {
    const { status, stopReason, metrics } = await training;
    const accuracy = `validation accuracy ${(100 * (metrics['val/accuracy'] ?? 0)).toFixed(1)} %`;
    say(status === 'completed' ? `Done: ${accuracy}.` : `Stopped (${stopReason}): ${accuracy}.`);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
  localStorage.removeItem(TRAINING);
  training = undefined;
  setButtons();
}

train!.addEventListener('click', () => void start());
stop!.addEventListener('click', () => training?.stop('by you'));
by('clear').addEventListener('click', () => pad.clear());
download!.addEventListener('click', () => ask({ ask: 'file' }));
forget!.addEventListener('click', async () => {
  training?.terminate();
  await training?.catch(() => {});
  await rm('/runs', { recursive: true, force: true });
  ask({ ask: 'forget' });
  download!.disabled = true;
  curves.clear();
  say('Not trained yet.');
});

guesser.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
  if (data.answer === 'guess') showGuess(data.shares);
  else if (data.answer === 'file') save(data.bytes);
  else {
    download!.disabled = false;
    const { pixels } = pad;
    if (pixels) ask({ ask: 'guess', pixels });
  }
});

setButtons();
showGuess([]);
ask({ ask: 'load' });
await curves.restore();
if (curves.length > 0) say(`Trained for ${curves.length} epochs.`);
if (localStorage.getItem(TRAINING)) void start();

function setButtons(): void {
  train!.disabled = training !== undefined;
  stop!.disabled = training === undefined;
}

function say(text: string): void {
  by('status').textContent = text;
}

function showGuess(shares: readonly number[]): void {
  const most = shares.indexOf(Math.max(...shares));
  by('guess').innerHTML =
    shares.length === 0
      ? '<p>Draw on the left. The more it has learned, the better it guesses.</p>'
      : shares
          .map((share, digit) => {
            const mark = digit === most ? 'most' : '';
            return `<span class="${mark}">${digit}</span><span class="bar" style="width: ${Math.max(1, 100 * share)}%"></span><span class="share ${mark}">${Math.round(100 * share)} %</span>`;
          })
          .join('');
}

function save(bytes: Uint8Array): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes as BlobPart]));
  link.download = 'digits.safetensors';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
