// Keys: everything that the mouse can do.

import { el } from './dom.js';
import { MEANINGS } from './palette.js';

/** @type {[string, string][]} */
const KEY_LIST = [
  ['← →', 'previous or next operation of the thread'],
  ['↑ ↓', 'the same moment on the thread above or below'],
  ['[ ]', 'previous or next operation with the same first argument'],
  ['+ −', 'zoom in or out'],
  ['Shift ← →', 'move the window'],
  ['f', 'frame the failure'],
  ['0', 'the whole trace'],
  ['o', 'frame the selected operation with all that overlaps it'],
  ['/', 'find; Enter for the next, Shift Enter for the previous, Esc to end'],
  ['n p', 'next or previous step of the witness, the behaviour or the schedule'],
  ['j k', 'down or up in the grid of explanations'],
  ['h l', 'left or right in the grid'],
  ['Enter', 'on a cell of the grid: what to assume'],
  ['Esc', 'take back the last assumption'],
  ['s', 'states in full or as differences'],
  ['c', 'colour by something else'],
  ['a', 'other arrows: visibility, happens-before, both or none'],
  ['d', 'dark or light'],
  ['?', 'this list'],
];

/** @param {import('./app.js').App} app */
export function listenToKeys(app) {
  document.addEventListener('keydown', (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
    if (target.closest('dialog, [role=menu]')) return;
    if (press(app, event)) event.preventDefault();
  });
}

/**
 * Does what a key stands for, and returns whether it stands for something.
 * @param {import('./app.js').App} app
 * @param {KeyboardEvent} event
 */
function press(app, event) {
  const { view, facts } = app;
  const { timeline } = facts;
  const panel = app.timelinePanel;
  const isInTabs = event.target instanceof HTMLElement && event.target.getAttribute('role') === 'tab';
  const move = (/** @type {(row: number) => number} */ next) => {
    if (!timeline?.size) return false;
    app.select(view.row < 0 ? firstVisible(app) : next(view.row), true);
    return true;
  };
  switch (event.key) {
    case 'ArrowLeft':
    case 'ArrowRight': {
      if (isInTabs) return false;
      const direction = event.key === 'ArrowLeft' ? -1 : 1;
      if (!event.shiftKey) return move((row) => timeline?.neighbour(row, direction) ?? row);
      const shift = ((view.to - view.from) / 4) * direction;
      app.show({ from: view.from + shift, to: view.to + shift });
      return true;
    }
    case 'ArrowUp':
      return move((row) => timeline?.acrossLanes(row, -1) ?? row);
    case 'ArrowDown':
      return move((row) => timeline?.acrossLanes(row, 1) ?? row);
    case '[':
    case ']':
      app.sameKey(event.key === '[' ? -1 : 1);
      return true;
    case '+':
    case '=':
    case '-':
      panel.zoom(event.key === '-' ? 1.5 : 1 / 1.5, panel.canvas.clientWidth / 2);
      return true;
    case 'f':
      app.frameFailure();
      return true;
    case '0':
      app.frameAll();
      return true;
    case 'o':
      app.frameSelection();
      return true;
    case '/':
      panel.search.focus();
      return true;
    case 'n':
    case 'p':
      app.detail.step(event.key === 'n' ? 1 : -1);
      return true;
    case 'j':
    case 'k':
    case 'h':
    case 'l':
      app.detail.moveInGrid(event.key);
      return true;
    case 'Escape':
      app.undoFocus();
      return true;
    case 's':
      app.change({ states: view.states === 'diff' ? 'full' : 'diff' });
      return true;
    case 'c':
      app.change({ color: MEANINGS[(MEANINGS.indexOf(view.color) + 1) % MEANINGS.length] });
      panel.color.value = view.color;
      return true;
    case 'a': {
      const choices = /** @type {const} */ (['all', 'sees', 'before', 'none']);
      app.change({ arrows: choices[(choices.indexOf(view.arrows) + 1) % choices.length] });
      panel.arrows.value = view.arrows;
      return true;
    }
    case 'd':
      app.toggleTheme();
      return true;
    case '?':
      showHelp();
      return true;
  }
  return false;
}

/**
 * The first operation in the window.
 * @param {import('./app.js').App} app
 */
function firstVisible(app) {
  const { timeline } = app.facts;
  if (!timeline) return -1;
  const row = timeline.columns.start.findIndex((start) => start >= app.view.from);
  return row < 0 ? 0 : row;
}

/** Shows all keys. */
export function showHelp() {
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      'dialog',
      { class: 'help', 'aria-label': 'Keys' },
      el('h2', {}, 'Keys'),
      el('dl', {}, KEY_LIST.map(([key, what]) => [el('dt', {}, key), el('dd', {}, what)])),
      el('p', { class: 'faint' }, 'Wheel or pinch to zoom, drag to move, double-click an operation to frame it with all that overlaps it.'),
      el('button', { type: 'button', onclick: () => dialog.close() }, 'Close'),
    )
  );
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.showModal();
}
