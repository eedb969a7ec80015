// The text of a call, taken apart: name, first argument, result. Models and specifications write calls alike:
// `write(1)`, `read() = 2`, `Get(key: "x", result: 0)`, `enq 3`.

/**
 * @param {string} text
 * @returns {string}
 */
export function nameOf(text) {
  const match = /^[^\s(=]+/.exec(text);
  // What transactions did follows their names after a colon.
  return match ? match[0].replace(/(.):$/, '$1') : text;
}

/**
 * A line of a log without the variables that it changes: `Grant("c1") [msgs, holder]` is `Grant("c1")`.
 * @param {string} text
 */
export function withoutChanges(text) {
  return text.replace(/(?<=[)\w]) \[[\w, ]*\]$/, '');
}

/**
 * What follows the name of a call, in few characters: the arguments, the fields of a record that is the only one, the result; without quotes.
 * @param {string} text
 * @param {string} [lane]  whose call it is: an argument that is its name says nothing more
 */
export function argumentsOf(text, lane) {
  const rest = withoutChanges(text).slice(nameOf(text).length).trim();
  const inner = /^\(([^]*)\)$/.exec(rest);
  let all = rest.replace(/^\(\)\s*/, '');
  if (inner && split(rest.slice(1)).join(',').length === inner[1].length) {
    const parts = split(rest.slice(1)).map((part) => part.trim());
    all = (parts.length > 1 && parts[0] === `"${lane}"` ? parts.slice(1) : parts).join(', ');
  }
  const record = /^\[([^[\]]*)\]$/.exec(all);
  return (record ? record[1] : all).replaceAll(' |-> ', ': ').replaceAll('"', '');
}

/**
 * The first argument, which is the key where operations have one. Empty if there are no arguments.
 * @param {string} text
 */
export function keyOf(text) {
  const open = text.indexOf('(');
  if (open < 0) return '';
  const [argument] = split(text.slice(open + 1));
  return argument.replace(/^[A-Za-z_]\w*\s*:\s*/, '').trim();
}

/**
 * The result: what follows the closing bracket, or the field called `result`, `ret`, `value` or `out`.
 * @param {string} text
 */
export function resultOf(text) {
  const after = /\)\s*(?:=|->|:)\s*([^]*)$/.exec(text);
  if (after) return after[1].trim();
  const field = /\b(?:result|ret|output|out)\s*:\s*([^,)]*)/.exec(text);
  return field ? field[1].trim() : '';
}

/**
 * The values of a field: of the arguments of that name, of fields of records in them, and for `result` and `key` of what stands for these
 * in calls without names. Texts are without their quotes.
 * @param {string} text
 * @param {string} field
 * @returns {string[]}
 */
export function valuesOf(text, field) {
  const values = [];
  for (let at = text.indexOf(field); at >= 0; at = text.indexOf(field, at + 1)) {
    const isWhole = at === 0 || !/[\w$]/.test(text[at - 1]);
    const after = isWhole && /^"?\s*(?:\|->|:>|:)\s*/.exec(text.slice(at + field.length, at + field.length + 40));
    if (after) values.push(split(text.slice(at + field.length + after[0].length, at + field.length + after[0].length + 400))[0]);
  }
  if (field === 'result' || field === 'ret') values.push(resultOf(text));
  if (field === 'key' && !values.length) values.push(keyOf(text));
  return values.map((value) => value.trim().replace(/^"|"$/g, ''));
}

/**
 * The calls in a text that lists several: `read(5) = nil, append(7, 1)` is two.
 * @param {string} text
 */
export function topParts(text) {
  return split(text).map((part) => part.trim());
}

/**
 * The parts of a list of arguments up to its closing bracket.
 * @param {string} text
 * @returns {string[]}
 */
function split(text) {
  const parts = [''];
  let depth = 0;
  let quoted = false;
  // The arrows of records and functions are no brackets.
  for (const character of text.match(/\|->|:>|[-=]>|[^]/g) ?? []) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && '([{<'.includes(character)) depth += 1;
    else if (!quoted && ')]}>'.includes(character)) depth -= 1;
    if (depth < 0) break;
    if (character === ',' && depth === 0 && !quoted) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/**
 * A text cut in its middle.
 * @param {string} text
 * @param {number} length
 */
export function cut(text, length) {
  if (text.length <= length) return text;
  const side = Math.max(1, Math.floor((length - 1) / 2));
  return `${text.slice(0, side)}…${text.slice(text.length - side)}`;
}

/**
 * A text whose control characters are visible.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (character) =>
    character === '\n' ? '⏎' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
