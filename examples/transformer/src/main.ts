import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkFindings } from './check-findings.js';
import { picture } from './draw/picture.js';
import { headsOf } from './head.js';
import { percent } from './percent.js';
import { randomFrom } from './random.js';
import { claimsReport, report } from './report.js';
import { findInductionHeads } from './research/find-induction-heads.js';
import { storyOf } from './story.js';
import { LETTERS, sequencesOf } from './task.js';
import { SIZES, train } from './train.js';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, picture: { type: 'string' } },
});
const seed = Number(values.seed);
const sizes = { ...SIZES, blocks: 2 };

const trained = await train({ blocks: sizes.blocks, seed, epochs: 60 });
console.log('\nThe same with one block, as long:\n');
const control = await train({ blocks: 1, seed, epochs: trained.fit.history.length });

const findings = await findInductionHeads(trained.model, sizes, seed);
const unseen = sequencesOf(randomFrom(seed, 'check'), 256).map(({ letters }) => letters);
const claims = checkFindings(trained.model, headsOf(sizes), findings, unseen);

const files = [join(trained.fit.runDir, 'induction-head.svg'), ...(values.picture ? [values.picture] : [])];
const drawn = picture(storyOf(seed, trained, control, findings));
for (const file of files) writeFileSync(file, `${drawn}\n`);

console.log(`
Right letters, of sequences that it had never seen
two blocks  ${percent(trained.accuracy).padStart(7)}
one block   ${percent(control.accuracy).padStart(7)}
chance      ${percent(1 / LETTERS).padStart(7)}

${report(findings)}

Measured again without the verbs
${claimsReport(claims)}

Picture     ${files.join(', ')}`);

if (!claims.every(({ holds }) => holds)) process.exitCode = 1;
