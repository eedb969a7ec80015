// Places in source: `Queue.tla:12`, `Queue.tla:12:5`, `Queue.tla:12:5-14:9`, `src/lib.rs:12 in …`.

/**
 * @typedef {object} Place
 * @property {string} file
 * @property {number} line  counted from 1
 * @property {number} column  of the first character, from 1; 0 if it is not known
 * @property {number} lastLine
 * @property {number} lastColumn  of the last character; 0 if it is not known
 */

/**
 * @param {string | null | undefined} text
 * @returns {Place | null}
 */
export function placeOf(text) {
  const match = /^([^]*?):(\d{1,9})(?::(\d{1,9}))?(?:-(\d{1,9}):(\d{1,9}))?(?: in [^]*)?$/.exec(text ?? '');
  if (!match) return null;
  const [, file, line, column, lastLine, lastColumn] = match;
  return { file, line: Number(line), column: Number(column ?? 0), lastLine: Number(lastLine ?? line), lastColumn: Number(lastColumn ?? 0) };
}

/**
 * The part of a line that a place covers, as positions among its characters: `[from, to)`; null if it covers none, or nobody knows
 * which.
 * @param {Place} place
 * @param {number} number  of the line
 * @param {string} text  of the line
 * @returns {[number, number] | null}
 */
export function covered(place, number, text) {
  if (!place.column || !place.lastColumn || number < place.line || number > place.lastLine) return null;
  const { length } = [...text];
  const indent = [...text].findIndex((character) => !/\s/.test(character));
  if (indent < 0) return null;
  const from = number === place.line ? place.column - 1 : indent;
  const to = number === place.lastLine ? place.lastColumn : length;
  return from < to && to <= length ? [from, to] : null;
}
