// The difference of two states that are known as text, in the notation of a specification or of a model.
//
// A text is taken apart at its brackets into entries with or without keys; whatever cannot be taken apart is a leaf. So the
// difference of two maps names the keys that changed, also where nothing is known about the notation.

/**
 * @typedef {{key: string | null, value: Node}} Entry
 * @typedef {{kind: 'leaf', text: string} | {kind: 'group', text: string, open: string, entries: Entry[]}} Node
 * @typedef {{path: string, before: string | null, after: string | null}} Change
 */

const CLOSING = { '[': ']', '{': '}', '(': ')', '<<': '>>' };
const KEYS = ['|->', ':>', '->', ':', '='];
const DEPTH_MAX = 64;

/**
 * @param {string} text
 * @param {number} [depth]
 * @returns {Node}
 */
export function parseState(text, depth = 0) {
  const trimmed = text.trim();
  /** @type {Node} */
  const leaf = { kind: 'leaf', text: trimmed };
  if (depth > DEPTH_MAX || trimmed.length > 200_000) return leaf;
  const open = trimmed.startsWith('<<') ? '<<' : trimmed[0] ?? '';
  const close = CLOSING[/** @type {'['} */ (open)];
  if (close && matching(trimmed, open) === trimmed.length - close.length) {
    const inside = trimmed.slice(open.length, trimmed.length - close.length).trim();
    if (!inside) return { kind: 'group', text: trimmed, open, entries: [] };
    const separators = open === '(' && inside.includes('@@') ? ['@@'] : [','];
    return { kind: 'group', text: trimmed, open, entries: parts(inside, separators).map((part) => entry(part, depth)) };
  }
  if (depth === 0) {
    // The variables of a specification: `/\ x = 1 /\ y = 2`, one a line, or with commas.
    const conjuncts = parts(trimmed.replace(/^\/\\/, ''), ['/\\', '\n', ',']).filter((part) => part.trim());
    const entries = conjuncts.map((part) => entry(part, depth));
    if (entries.length && entries.every(({ key }) => key !== null)) {
      return { kind: 'group', text: trimmed, open: '', entries };
    }
  }
  return leaf;
}

/**
 * @param {string} part
 * @param {number} depth
 * @returns {Entry}
 */
function entry(part, depth) {
  for (const sign of KEYS) {
    const at = outside(part, sign);
    if (at > 0) return { key: part.slice(0, at).trim(), value: parseState(part.slice(at + sign.length), depth + 1) };
  }
  return { key: null, value: parseState(part, depth + 1) };
}

/**
 * Calls `visit` at each position that is outside of brackets and quotes; stops when it returns true.
 * @param {string} text
 * @param {(at: number, depth: number) => boolean} visit
 */
function scan(text, visit) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
      continue;
    }
    if (depth === 0 && visit(at, depth)) return;
    const two = text.slice(at, at + 2);
    if (two === '<<' || two === '>>') {
      depth += two === '<<' ? 1 : -1;
      at++;
    } else if ('[{('.includes(character)) depth += 1;
    else if (']})'.includes(character)) depth -= 1;
  }
}

/**
 * Where the bracket that opens a text is closed, or -1.
 * @param {string} text
 * @param {string} open
 */
function matching(text, open) {
  let closed = -1;
  let depth = 0;
  for (let at = 0; at < text.length && closed < 0; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
      continue;
    }
    const two = text.slice(at, at + 2);
    if (two === '<<' || two === '>>') {
      depth += two === '<<' ? 1 : -1;
      if (depth === 0) closed = at;
      at++;
    } else if ('[{('.includes(character)) depth += 1;
    else if (']})'.includes(character) && --depth === 0) closed = at;
  }
  return open ? closed : -1;
}

/**
 * Where a sign first is outside of brackets and quotes, or -1.
 * @param {string} text
 * @param {string} sign
 */
function outside(text, sign) {
  let found = -1;
  scan(text, (at) => {
    if (text.startsWith(sign, at)) found = at;
    return found >= 0;
  });
  return found;
}

/**
 * @param {string} text
 * @param {string[]} separators
 */
function parts(text, separators) {
  /** @type {string[]} */
  const found = [];
  let from = 0;
  scan(text, (at) => {
    const separator = at >= from && separators.find((one) => text.startsWith(one, at));
    if (separator) {
      found.push(text.slice(from, at));
      from = at + separator.length;
    }
    return false;
  });
  found.push(text.slice(from));
  return found;
}

/**
 * What changed between two states.
 * @param {string} before
 * @param {string} after
 * @returns {Change[]}
 */
export function difference(before, after) {
  /** @type {Change[]} */
  const changes = [];
  compare(parseState(before), parseState(after), '', changes);
  return changes;
}

/**
 * @param {Node} before
 * @param {Node} after
 * @param {string} path
 * @param {Change[]} changes
 */
function compare(before, after, path, changes) {
  if (before.text === after.text) return;
  if (before.kind === 'leaf' || after.kind === 'leaf' || before.open !== after.open) {
    changes.push({ path, before: before.text, after: after.text });
    return;
  }
  const isKeyed = [...before.entries, ...after.entries].every(({ key }) => key !== null);
  if (isKeyed) {
    const old = new Map(before.entries.map(({ key, value }) => [key, value]));
    for (const { key, value } of after.entries) {
      const at = join(path, before.open, key ?? '');
      const was = old.get(key);
      old.delete(key);
      if (was) compare(was, value, at, changes);
      else changes.push({ path: at, before: null, after: value.text });
    }
    for (const [key, value] of old) changes.push({ path: join(path, before.open, key ?? ''), before: value.text, after: null });
    return;
  }
  const [olds, news] = [before, after].map(({ entries }) => entries.map(({ value }) => value.text));
  if (before.open === '{') {
    for (const text of olds.filter((text) => !news.includes(text))) changes.push({ path, before: text, after: null });
    for (const text of news.filter((text) => !olds.includes(text))) changes.push({ path, before: null, after: text });
    return;
  }
  sequences(olds, news, path, changes);
}

/**
 * Sequences: what is left between the longest equal beginning and the longest equal end.
 * @param {string[]} olds
 * @param {string[]} news
 * @param {string} path
 * @param {Change[]} changes
 */
function sequences(olds, news, path, changes) {
  let head = 0;
  while (head < olds.length && head < news.length && olds[head] === news[head]) head++;
  let tail = 0;
  while (tail < olds.length - head && tail < news.length - head && olds.at(-1 - tail) === news.at(-1 - tail)) tail++;
  const [gone, come] = [olds.slice(head, olds.length - tail), news.slice(head, news.length - tail)];
  for (let at = 0; at < Math.max(gone.length, come.length); at++) {
    changes.push({ path: `${path}[${head + at + 1}]`, before: gone[at] ?? null, after: come[at] ?? null });
  }
}

/**
 * @param {string} path
 * @param {string} open
 * @param {string} key
 */
function join(path, open, key) {
  if (!path) return key;
  return /^[A-Za-z_]\w*$/.test(key) && open === '[' ? `${path}.${key}` : `${path}[${key}]`;
}
