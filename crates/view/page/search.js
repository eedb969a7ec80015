// Search: which operations have all the words. `thread:3` or `node:a` restricts it to a lane, `op:read` to a name, `key:7` to those with this value
// in this field. A value with spaces is written in quotes.

import { nameOf, valuesOf } from './call.js';
import { firstWhere } from './timeline.js';

/**
 * @typedef {object} Hits
 * @property {Uint8Array} calls  whether a call has all the words
 * @property {Uint8Array} threads  whether a thread is one of those asked for
 * @property {Map<import('./timeline.js').Track, Uint32Array>} positions  of what is found on each track, in order
 * @property {number} count
 */

/**
 * Null for an empty search.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {string} search
 * @returns {Hits | null}
 */
export function searchFor(timeline, search) {
  const words = search.toLowerCase().match(/(?:"[^"]*"?|[^\s"])+/g) ?? [];
  if (!words.length) return null;
  const after = (/** @type {string} */ prefix) =>
    words.filter((word) => word.startsWith(prefix)).map((word) => unquoted(word.slice(prefix.length)));
  const [threads, names] = [[...after('thread:'), ...after('node:')], after('op:')];
  const plain = words.filter((word) => !/^(thread|node|op):/.test(word));
  /** @type {Hits} */
  const hits = {
    calls: Uint8Array.from(timeline.calls, (text) => {
      const lower = text.toLowerCase();
      return Number(plain.every((word) => lower.includes(unquoted(word)) || hasField(lower, word)) && names.every((name) => nameOf(lower) === name));
    }),
    threads: Uint8Array.from(timeline.threads, (name) => Number(threads.every((thread) => name.toLowerCase() === thread))),
    positions: new Map(),
    count: 0,
  };
  for (const track of timeline.lanes.flatMap(({ tracks }) => tracks)) {
    const found = [];
    for (let at = 0; at < track.rows.length; at++) if (finds(hits, timeline, track.rows[at])) found.push(at);
    hits.positions.set(track, Uint32Array.from(found));
    hits.count += found.length;
  }
  return hits;
}

/**
 * The first position from `from` on, below `to`, that is found on a track; -1 if there is none.
 * @param {Hits} hits
 * @param {import('./timeline.js').Track} track
 * @param {number} from
 * @param {number} to
 */
export function firstHit({ positions }, track, from, to) {
  const found = positions.get(track) ?? new Uint32Array();
  const at = firstWhere(0, found.length, (position) => found[position] >= from);
  return at < found.length && found[at] < to ? found[at] : -1;
}

/**
 * @param {Hits} hits
 * @param {import('./timeline.js').Timeline} timeline
 * @param {number} row
 */
export function finds(hits, timeline, row) {
  return hits.calls[timeline.columns.call[row]] === 1 && hits.threads[timeline.columns.thread[row]] === 1;
}

/**
 * Whether a call has the field with the value that a word such as `key:7` asks for.
 * @param {string} call
 * @param {string} word
 */
function hasField(call, word) {
  const parts = /^([^:"]+):(.+)$/.exec(word);
  return parts !== null && valuesOf(call, parts[1]).includes(unquoted(parts[2]));
}

/** @param {string} text */
function unquoted(text) {
  return text.replace(/^"|"$/g, '');
}
