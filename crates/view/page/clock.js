// Times for people: ticks of an axis and lengths in readable units.

/**
 * The distance between ticks: 1, 2 or 5 times a power of ten, with at least `least` between two.
 * @param {number} least
 */
export function tickStep(least) {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least) return factor * power;
  return 10 * power;
}

const NANOSECONDS = [
  ['h', 3.6e12],
  ['min', 6e10],
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
];

/**
 * A length of time. Without a unit it is a number with groups of digits.
 * @param {number} length
 * @param {string} unit  `ns`, or empty where the unit is not known
 * @param {number} [step]  how fine it is to be
 */
export function duration(length, unit, step = 0) {
  if (unit !== 'ns') return grouped(step && step < 1 ? Number(length.toPrecision(6)) : Math.round(length * 1000) / 1000);
  if (length === 0) return '0';
  const size = Math.abs(length);
  const [name, factor] = /** @type {[string, number]} */ (
    NANOSECONDS.find(([, least]) => size >= Number(least)) ?? ['ns', 1]
  );
  const digits = step ? Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / factor) - 1e-9))) : size / factor < 10 ? 2 : 1;
  return `${grouped(Number((length / factor).toFixed(digits)))} ${name}`;
}

/**
 * A moment relative to another one: `+1.5 ms`.
 * @param {number} offset
 * @param {string} unit
 * @param {number} [step]
 */
export function offsetText(offset, unit, step) {
  const text = duration(Math.abs(offset), unit, step);
  if (offset === 0) return '0';
  return `${offset < 0 ? '−' : '+'}${text}`;
}

/**
 * `1 run`, `2,000 runs`.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * `1234567` as `1,234,567`.
 * @param {number} value
 */
export function grouped(value) {
  const [whole, part] = String(value).split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return part ? `${spaced}.${part}` : spaced;
}
