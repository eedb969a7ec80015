// What the page shows, as it was embedded: JSON first, then the columns of every timeline.
//
// The bytes are deflated and written as base64 in an element that runs nothing. Layout of the inflated bytes:
// the length of the JSON (u32, little endian), the JSON, then the columns, each at a multiple of 8.

/**
 * @typedef {object} Band
 * @property {number} start
 * @property {number | null} end
 * @property {string} text
 *
 * @typedef {object} Columns
 * @property {Float64Array} start  relative to the base of the timeline
 * @property {Float64Array} end  as recorded; of a pending operation the end of the timeline
 * @property {Uint32Array} call  index into the texts
 * @property {Uint32Array} id  the operation's id in the evidence, or NO_ID
 * @property {Uint16Array} thread  index into the threads
 * @property {Uint8Array} flags
 *
 * @typedef {object} Story
 * @property {any} evidence  as docs/evidence.md describes it, or null for a trace alone
 * @property {any} timeline  the head of the timeline, or null
 * @property {Columns | null} columns
 * @property {Band[]} bands
 * @property {string} name
 * @property {string | null} explained_as  what the server calls it, if it can compute how everything up to some operation is explained
 *
 * @typedef {object} Scene
 * @property {string} title
 * @property {string} version
 * @property {boolean} live  whether a server is behind the page
 * @property {Story[]} stories
 * @property {{file: string, first: number, lines: string[]}[]} sources
 * @property {any} campaign
 */

/**
 * An address of the server behind the page: all of them are below its token, the first part of every path.
 * @param {string} path
 */
export function served(path) {
  return `/${location.pathname.split('/')[1]}/${path}`;
}

/** The id of a row that the evidence does not name. */
export const NO_ID = 0xffffffff;

/** Bits of the flags column. */
export const PENDING = 1;
export const ABORTED = 2;
export const UNTIMED = 4;

/**
 * Inflates and reads the embedded scene.
 * @param {string} base64
 * @returns {Promise<Scene>}
 */
export async function decodeScene(base64) {
  const binary = atob(base64.trim());
  const deflated = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) deflated[at] = binary.charCodeAt(at);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate'));
  return readScene(await new Response(stream).arrayBuffer());
}

/**
 * Reads inflated bytes.
 * @param {ArrayBuffer} buffer
 * @returns {Scene}
 */
export function readScene(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const scene = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = aligned(4 + length);
  for (const story of scene.stories) {
    story.columns = null;
    if (!story.timeline) continue;
    const rows = story.timeline.rows;
    const take = (/** @type {any} */ type) => {
      const column = new type(buffer, at, rows);
      at = aligned(at + rows * type.BYTES_PER_ELEMENT);
      return column;
    };
    const [steps, lengths] = [take(Float64Array), take(Float64Array)];
    const [call, id, thread, flags] = [take(Uint32Array), take(Uint32Array), take(Uint16Array), take(Uint8Array)];
    story.columns = { ...times(steps, lengths, flags), call, id, thread, flags };
  }
  return scene;
}

/** @param {number} at */
function aligned(at) {
  return (at + 7) & ~7;
}

/**
 * Starts and ends from differences of starts and from lengths.
 * @param {Float64Array} steps
 * @param {Float64Array} lengths
 * @param {Uint8Array} flags
 */
function times(steps, lengths, flags) {
  const [start, end] = [new Float64Array(steps.length), new Float64Array(steps.length)];
  let now = 0;
  let last = 0;
  for (let row = 0; row < steps.length; row++) {
    now += steps[row];
    start[row] = now;
    end[row] = now + lengths[row];
    last = Math.max(last, end[row]);
  }
  for (let row = 0; row < steps.length; row++) if (flags[row] & PENDING) end[row] = last;
  return { start, end };
}
