// A picture of the lines of a chart, larger than its window: a pan copies from it, and the lines are drawn again only where
// it ends, or once the window rests after its scale has changed.

const rest_ms = 120;
/// What the picture holds on each side of the window, as a share of the window.
const beyond = 0.5;
/// A picture that would be stretched or squeezed more than this is drawn again at once.
const most_stretch = 1.5;

export interface Window {
  left: number;
  top: number;
  width: number;
  height: number;
}

export class Picture {
  readonly #canvas = document.createElement("canvas");
  /// From the data to the pixels of the canvas; null if it has to be drawn.
  #at: DOMMatrix | null = null;
  #timer = 0;

  /// `paint` draws the lines by a matrix from the data to pixels; `again` asks for a new drawing of the chart.
  constructor(readonly paint: (ctx: CanvasRenderingContext2D, at: DOMMatrix) => void, readonly again: () => void) {}

  /// Other lines are to be shown, or in another way.
  forget(): void {
    clearTimeout(this.#timer);
    this.#at = null;
  }

  /// Draws into the window of a canvas, in its pixels; `at` goes from the data to them. Matrices only scale and shift.
  draw(ctx: CanvasRenderingContext2D, window: Window, at: DOMMatrix): void {
    clearTimeout(this.#timer);
    let place = this.#place(at);
    if (!place || !holds(place, window)) {
      this.#draw_lines(window, at);
      place = this.#place(at);
    }
    if (!place) return; // There is nothing to draw on these axes.
    const exact = Math.abs(place.width - this.#canvas.width) < 0.5 && Math.abs(place.height - this.#canvas.height) < 0.5;
    if (exact) ctx.drawImage(this.#canvas, Math.round(place.left), Math.round(place.top));
    else {
      ctx.drawImage(this.#canvas, place.left, place.top, place.width, place.height);
      this.#timer = setTimeout(() => {
        this.forget();
        this.again();
      }, rest_ms);
    }
  }

  #draw_lines({ left, top, width, height }: Window, at: DOMMatrix): void {
    const canvas = this.#canvas;
    const [wide, tall] = [Math.ceil(width * (1 + 2 * beyond)), Math.ceil(height * (1 + 2 * beyond))];
    if (canvas.width !== wide || canvas.height !== tall) Object.assign(canvas, { width: wide, height: tall });
    const ctx = canvas.getContext("2d")!;
    ctx.clearRect(0, 0, wide, tall);
    this.#at = new DOMMatrix([at.a, 0, 0, at.d, at.e - left + Math.round(width * beyond), at.f - top + Math.round(height * beyond)]);
    this.paint(ctx, this.#at);
  }

  /// Where the canvas has to stand for its data to stand by the matrix.
  #place(at: DOMMatrix): Window | null {
    if (!this.#at) return null;
    const [across, up] = [at.a / this.#at.a, at.d / this.#at.d];
    if (![across, up].every((by) => by < most_stretch && by > 1 / most_stretch)) return null;
    return { left: at.e - across * this.#at.e, top: at.f - up * this.#at.f, width: across * this.#canvas.width, height: up * this.#canvas.height };
  }
}

function holds(outer: Window, inner: Window): boolean {
  const room = 1; // A place is rounded.
  return outer.left <= inner.left + room && outer.top <= inner.top + room
    && outer.left + outer.width >= inner.left + inner.width - room && outer.top + outer.height >= inner.top + inner.height - room;
}
