import { beforeEach, expect, test } from 'vitest';
import { SCRIPT } from '../src/page/script.js';

/** As much of an element as the script of the page uses. */
class Part {
  readonly attributes = new Map<string, string>();
  readonly children: (Part | string)[] = [];
  readonly style: Record<string, string> = {};
  readonly listeners = new Map<string, (event: object) => void>();
  className = '';
  open = false;
  #text = '';
  get textContent(): string {
    return (
      this.#text + this.children.map((each) => (typeof each === 'string' ? each : each.textContent)).join(' ')
    );
  }
  set textContent(text: string) {
    this.#text = text;
    this.children.length = 0;
  }
  append(...parts: (Part | string)[]): void {
    this.children.push(...parts);
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  addEventListener(name: string, listener: (event: object) => void): void {
    this.listeners.set(name, listener);
  }
  getBoundingClientRect() {
    return { left: 100, width: 200 };
  }
}

// Steps 10 to 40 lie between 20 and 380 of a drawing that is 400 wide, and 200 on the screen.
const CHART = {
  x: [10, 40, 20, 380, 400],
  lines: [
    { label: 'train/loss', color: 0, steps: [10, 20, 30, 40], values: [4, 3, 2, 1] },
    { label: 'val/<loss>', color: 1, steps: [20, 40], values: [5, 'NaN'] },
  ],
};

let [svg, cursor, output, details] = [new Part(), new Part(), new Part(), new Part()];
let print = () => {};
beforeEach(() => {
  [svg, cursor, output, details] = [new Part(), new Part(), new Part(), new Part()];
  const data = new Part();
  data.textContent = JSON.stringify(CHART);
  const parts: Record<string, Part> = { script: data, svg, '.cursor': cursor, output };
  const page = {
    querySelectorAll: (query: string) =>
      query === '.chart' ? [{ querySelector: (name: string) => parts[name] }] : [details],
    createElement: () => new Part(),
  };
  new Function('document', 'addEventListener', SCRIPT)(
    page,
    (_name: string, act: () => void) => (print = act),
  );
});

/** Presses keys; returns which of them were taken from the browser. */
function press(...keys: readonly string[]): string[] {
  return keys.filter((key) => {
    let isTaken = false;
    svg.listeners.get('keydown')!({ key, preventDefault: () => (isTaken = true) });
    return isTaken;
  });
}

test('the arrow keys read the values of every line, step by step', () => {
  press('ArrowRight');
  expect(output.textContent).toBe('step 10train/loss 4 val/<loss> 5');
  press('ArrowRight', 'ArrowRight');
  expect(output.textContent).toContain('step 30');
  press('ArrowLeft');
  expect(output.textContent).toContain('step 20');
});

test.each([
  [['End'], 'step 40'],
  [['End', 'Home'], 'step 10'],
  [['ArrowRight', 'PageDown'], 'step 40'],
  [['End', 'PageUp'], 'step 10'],
  [['End', 'ArrowRight'], 'step 40'],
  [['Home', 'ArrowLeft'], 'step 10'],
])('%j leads to %s and not beyond', (keys, step) => {
  expect(press(...keys)).toEqual(keys);
  expect(output.textContent).toContain(step);
});

test('other keys are left to the browser, and Escape ends the reading', () => {
  press('End');
  expect(press('Tab', 'Enter', 'a', 'Escape')).toEqual([]);
  expect([output.textContent, cursor.attributes.has('hidden')]).toEqual(['', true]);
  press('ArrowRight');
  expect(output.textContent).toContain('step 10');
});

test('under the pointer the nearest step is read, and its mark is there', () => {
  // The middle of the drawing lies between steps 20 and 30, a little to the right of it is nearer to 30.
  svg.listeners.get('pointermove')!({ clientX: 100 + 105 });
  expect(output.textContent).toContain('step 30');
  expect(Number(cursor.attributes.get('x1'))).toBe(20 + (20 / 30) * 360);
  expect(cursor.attributes.has('hidden')).toBe(false);
  svg.listeners.get('pointerleave')!({});
  expect(output.textContent).toBe('');
});

test('what is read is on the side that is free', () => {
  press('Home');
  expect([output.style.left, output.style.right]).toEqual(['calc(5% + 12px)', 'auto']);
  press('End');
  expect(output.style.left).toBe('auto');
});

test('the printer opens the table of epochs', () => {
  print();
  expect(details.open).toBe(true);
});
