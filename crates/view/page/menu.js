// A menu beside an element, for mouse and keyboard.

import { el } from './dom.js';

/**
 * @param {HTMLElement} anchor
 * @param {string} title
 * @param {[string, () => void][]} items
 */
export function openMenu(anchor, title, items) {
  document.querySelector('[role=menu]')?.remove();
  const place = anchor.dataset.grid;
  const close = (/** @type {boolean} */ isBack) => {
    removeEventListener('pointerdown', outside, true);
    menu.remove();
    // The grid may have been drawn anew.
    if (isBack) ((place && /** @type {HTMLElement | null} */ (document.querySelector(`[data-grid="${place}"]`))) || anchor).focus();
  };
  const menu = el(
    'div',
    { role: 'menu', class: 'menu', 'aria-label': title },
    el('p', { class: 'faint' }, title),
    items.map(([text, act]) =>
      el('button', { type: 'button', role: 'menuitem', onclick: () => { act(); close(true); } }, text),
    ),
  );
  const outside = (/** @type {Event} */ event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) close(false);
  };
  menu.addEventListener('keydown', (event) => {
    const buttons = [...menu.querySelectorAll('button')];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (event.key === 'Escape') close(true);
    else if (event.key === 'ArrowDown' || event.key === 'j') buttons[(at + 1) % buttons.length].focus();
    else if (event.key === 'ArrowUp' || event.key === 'k') buttons[(at + buttons.length - 1) % buttons.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.body.append(menu);
  const box = anchor.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${box.bottom + menu.offsetHeight + 4 > innerHeight ? Math.max(4, box.top - menu.offsetHeight - 4) : box.bottom + 4}px`;
  addEventListener('pointerdown', outside, true);
  menu.querySelector('button')?.focus();
}
