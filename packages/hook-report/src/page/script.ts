/**
 * Reads values under the pointer, or with the arrow keys. Opens the table of epochs for the printer, and not the numbers below
 * each chart, which would fill pages. The page works without it.
 */
export const SCRIPT = `
for (const figure of document.querySelectorAll('.chart')) {
  const { x: [low, high, left, right, width], lines } = JSON.parse(figure.querySelector('script').textContent);
  const svg = figure.querySelector('svg'), cursor = figure.querySelector('.cursor'), output = figure.querySelector('output');
  const steps = [...new Set(lines.flatMap((line) => line.steps))].sort((a, b) => a - b);
  let at = -1;
  const nearest = (list, step) => {
    let [from, to] = [0, list.length - 1];
    while (to - from > 1) { const middle = (from + to) >> 1; if (list[middle] <= step) from = middle; else to = middle; }
    return Math.abs(list[to] - step) < Math.abs(list[from] - step) ? to : from;
  };
  const hide = () => { cursor.setAttribute('hidden', ''); output.textContent = ''; at = -1; };
  const show = (index) => {
    at = Math.max(0, Math.min(index, steps.length - 1));
    const step = steps[at], place = left + ((step - low) / (high - low)) * (right - left);
    cursor.removeAttribute('hidden');
    cursor.setAttribute('x1', place); cursor.setAttribute('x2', place);
    output.textContent = 'step ' + step;
    for (const line of lines) {
      const row = document.createElement('div'), name = document.createElement('b');
      row.className = 'c' + line.color;
      name.textContent = line.label;
      row.append(name, String(line.values[nearest(line.steps, step)]));
      output.append(row);
    }
    const share = place / width;
    output.style.left = share < 0.5 ? 'calc(' + share * 100 + '% + 12px)' : 'auto';
    output.style.right = share < 0.5 ? 'auto' : 'calc(' + (1 - share) * 100 + '% + 12px)';
  };
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect(), inside = ((event.clientX - box.left) / box.width) * width;
    show(nearest(steps, low + ((inside - left) / (right - left)) * (high - low)));
  });
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('blur', hide);
  svg.addEventListener('keydown', (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
    if (move === undefined) return event.key === 'Escape' ? hide() : undefined;
    event.preventDefault();
    show(move === -Infinity ? 0 : move === Infinity ? steps.length - 1 : at + move);
  });
}
addEventListener('beforeprint', () => { for (const each of document.querySelectorAll('section>details')) each.open = true; });
`;
