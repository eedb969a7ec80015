// Values of a specification, as evidence has them, in TLA+ notation.

/**
 * @param {any} value
 * @returns {string}
 */
export function tlaText(value) {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `<<${value.map(tlaText).join(', ')}>>`;
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0].startsWith('$')) {
    const inner = value[keys[0]];
    switch (keys[0]) {
      case '$set':
        return `{${inner.map(tlaText).join(', ')}}`;
      case '$fn':
        return `(${inner.map((/** @type {any[]} */ [key, to]) => `${tlaText(key)} :> ${tlaText(to)}`).join(' @@ ')})`;
      case '$model':
      case '$int':
        return String(inner);
    }
  }
  return `[${keys.map((key) => `${key} |-> ${tlaText(value[key])}`).join(', ')}]`;
}

/**
 * A whole state: `x = 1, y = 2`, as one text that can be compared.
 * @param {Record<string, any>} values
 */
export function stateText(values) {
  return Object.entries(values)
    .map(([name, value]) => `/\\ ${name} = ${tlaText(value)}`)
    .join('\n');
}
