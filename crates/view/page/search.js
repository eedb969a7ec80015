// Search: which operations have all the words. `thread:3` restricts it to a thread, `op:read` to a name.

import { nameOf } from './call.js';

/** @typedef {{calls: Uint8Array, threads: Uint8Array}} Hits */

/**
 * Null for an empty search.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {string} search
 * @returns {Hits | null}
 */
export function searchFor(timeline, search) {
  const words = search.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const after = (/** @type {string} */ prefix) =>
    words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length));
  const [threads, names] = [after('thread:'), after('op:')];
  const plain = words.filter((word) => !/^(thread|op):/.test(word));
  return {
    calls: Uint8Array.from(timeline.calls, (text) => {
      const lower = text.toLowerCase();
      return Number(plain.every((word) => lower.includes(word)) && names.every((name) => nameOf(lower) === name));
    }),
    threads: Uint8Array.from(timeline.threads, (name) => Number(threads.every((thread) => name.toLowerCase() === thread))),
  };
}

/**
 * @param {Hits} hits
 * @param {import('./timeline.js').Timeline} timeline
 * @param {number} row
 */
export function finds(hits, timeline, row) {
  return hits.calls[timeline.columns.call[row]] === 1 && hits.threads[timeline.columns.thread[row]] === 1;
}
