// Where lanes are on the canvas, and which operation is at a point.

/** The height of the time axis, above the lanes. */
export const AXIS = 26;
const TRACK_MAX = 36;
const TRACK_MIN = 7;
const GAP = 6;

/**
 * @typedef {{top: number, height: number, track: number}} LanePlace  `track` is the height of one track
 * @typedef {{places: LanePlace[], height: number, labels: number}} LaneLayout
 */

/**
 * The height that lanes need to be read with ease.
 * @param {import('./timeline.js').Timeline} timeline
 */
export function comfortableHeight(timeline) {
  const tracks = timeline.lanes.reduce((sum, lane) => sum + Math.max(1, lane.tracks.length), 0);
  return AXIS + 8 + tracks * TRACK_MAX + timeline.lanes.length * GAP + 22;
}

/**
 * Lanes share the height if there is enough of it, and are scrolled otherwise.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {number} height  of the canvas
 * @param {number} labels  the width of the names
 * @returns {LaneLayout}
 */
export function laneLayout(timeline, height, labels) {
  const tracks = timeline.lanes.reduce((sum, lane) => sum + Math.max(1, lane.tracks.length), 0);
  const gap = timeline.lanes.length > 24 ? 2 : GAP;
  const room = height - AXIS - 8 - gap * timeline.lanes.length;
  const track = Math.max(TRACK_MIN, Math.min(TRACK_MAX, Math.floor(room / Math.max(1, tracks))));
  let top = AXIS + 4;
  const places = timeline.lanes.map((lane) => {
    const place = { top, height: Math.max(1, lane.tracks.length) * track, track };
    top += place.height + gap;
    return place;
  });
  return { places, height: top + 4, labels };
}

/**
 * The operation at a point of the canvas, or -1.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {LaneLayout} layout
 * @param {{from: number, to: number, scroll: number}} view
 * @param {number} width
 * @param {number} x
 * @param {number} y
 */
export function rowAtPoint(timeline, layout, view, width, x, y) {
  if (x < layout.labels || y < AXIS) return -1;
  const lane = layout.places.findIndex(({ top, height }) => y + view.scroll >= top && y + view.scroll < top + height);
  if (lane < 0) return -1;
  const place = layout.places[lane];
  const track = timeline.lanes[lane].tracks[Math.floor((y + view.scroll - place.top) / place.track)];
  if (!track) return -1;
  const perPixel = (view.to - view.from) / (width - layout.labels);
  return timeline.rowAt(track, view.from + (x - layout.labels) * perPixel, 3 * perPixel);
}
