// The strip that shows the whole trace, and the window in it.

/**
 * Draws the strip that shows the whole trace and the window in it.
 * @param {CanvasRenderingContext2D} context
 * @param {{width: number, height: number, density: Float64Array, timeline: import('./timeline.js').Timeline,
 *   view: import('./view.js').View, theme: ReturnType<typeof import('./palette.js').themeOf>,
 *   bands: import('./scene.js').Band[], due: number, labels: number, marked: Set<number>}} strip
 */
export function drawOverview(context, { width, height, density, timeline, view, theme, bands, due, labels, marked }) {
  context.clearRect(0, 0, width, height);
  const span = timeline.last - timeline.first;
  const x = (/** @type {number} */ time) => labels + ((time - timeline.first) / span) * (width - labels);
  for (const band of bands) {
    context.fillStyle = theme.bandLine;
    context.globalAlpha = 0.35;
    context.fillRect(x(band.start), 0, Math.max(1.5, x(band.end ?? timeline.last) - x(band.start)), height);
    context.globalAlpha = 1;
  }
  context.fillStyle = theme.grey;
  const columns = Math.max(1, Math.floor(width - labels));
  for (let column = 0; column < columns; column++) {
    const [from, to] = [column, column + 1].map((at) => Math.floor((at / columns) * density.length));
    let most = 0;
    for (let at = from; at < Math.max(to, from + 1); at++) most = Math.max(most, density[at] ?? 0);
    const h = most * (height - 4);
    context.fillRect(labels + column, height - h, 1, h);
  }
  if (Number.isFinite(due)) {
    context.fillStyle = theme.red;
    context.fillRect(x(due) - 1, 0, 2.5, height);
  }
  const [left, right] = [Math.max(labels, x(view.from)), Math.min(width, x(view.to))];
  context.fillStyle = theme.panel;
  context.globalAlpha = 0.6;
  context.fillRect(labels, 0, Math.max(0, left - labels), height);
  context.fillRect(right, 0, Math.max(0, width - right), height);
  context.globalAlpha = 1;
  context.fillStyle = theme.red;
  for (const row of marked) context.fillRect(x(timeline.columns.start[row]) - 1, 0, 2, height / 2);
  context.strokeStyle = theme.select;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), height - 1.5);
}
