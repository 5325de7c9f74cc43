import { type Drawing, digitPixels } from './digit-pixels.js';

/** Lets people draw on a canvas, with a mouse, a pen or a finger, and tells what it shows after each stroke of the pen. */
export class DrawingPad {
  readonly #canvas: HTMLCanvasElement;
  readonly #onChange: (pixels: Float32Array | undefined) => void;

  constructor(canvas: HTMLCanvasElement, onChange: (pixels: Float32Array | undefined) => void) {
    this.#canvas = canvas;
    this.#onChange = onChange;
    Object.assign(this.#pen, {
      lineWidth: canvas.width / 10,
      lineCap: 'round',
      lineJoin: 'round',
      strokeStyle: '#000',
    });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pen.beginPath();
      this.#pen.moveTo(...this.#place(event));
      this.#draw(event);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (event.buttons > 0) this.#draw(event);
    });
  }

  /** What it shows, as an image of the data. */
  get pixels(): Float32Array | undefined {
    const { width: side } = this.#canvas;
    const { data } = this.#pen.getImageData(0, 0, side, side);
    const ink = Float32Array.from({ length: side * side }, (_, at) => data[4 * at + 3]! / 255);
    return digitPixels({ ink, side } satisfies Drawing);
  }

  clear(): void {
    this.#pen.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#onChange(undefined);
  }

  #draw(event: PointerEvent): void {
    this.#pen.lineTo(...this.#place(event));
    this.#pen.stroke();
    this.#onChange(this.pixels);
  }

  /** The canvas may be shown in another size than it has. */
  #place({ offsetX, offsetY }: PointerEvent): [number, number] {
    const { width, height, clientWidth, clientHeight } = this.#canvas;
    return [(offsetX * width) / clientWidth, (offsetY * height) / clientHeight];
  }

  get #pen(): CanvasRenderingContext2D {
    return this.#canvas.getContext('2d', { willReadFrequently: true })!;
  }
}
