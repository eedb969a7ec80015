// Elements. Text becomes text and never markup: nothing here, or anywhere in the page, parses HTML.

/**
 * What an element can hold; null, undefined and false stand for nothing.
 * @typedef {Node | string | number | null | undefined | false} Piece
 * @typedef {Piece | Children} Child
 * @typedef {{[at: number]: Child, length: number, [Symbol.iterator](): IterableIterator<Child>}} Children
 */

/**
 * @param {string} tag
 * @param {Record<string, any>} [props]  `class`, attributes, and handlers as `onclick`
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

/**
 * @param {Element} parent
 * @param {Child[]} children
 */
function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node) parent.appendChild(child);
    else if (child !== null && child !== undefined && child !== false) parent.appendChild(document.createTextNode(String(child)));
  }
}

/**
 * Replaces everything inside an element.
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Record<string, any>} props
 * @param {...Child} children
 */
export function svg(tag, props, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, String(value));
  append(element, children);
  return element;
}
