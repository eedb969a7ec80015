// The beginning: reads what is embedded and opens it.

import { App } from './app.js';
import { el } from './dom.js';
import { decodeScene, served } from './scene.js';

/** Opens the page. */
async function main() {
  const root = /** @type {HTMLElement} */ (document.getElementById('root'));
  const began = performance.now();
  try {
    const scene = await decodeScene(document.getElementById('scene')?.textContent ?? '');
    const app = new App(scene, root);
    if (scene.live) stayInTouch();
    // For tests and measurements.
    Object.assign(window, { omnilink: { app, opened: performance.now() - began } });
    document.documentElement.dataset.ready = 'true';
  } catch (error) {
    root.replaceChildren(el('p', { class: 'empty', role: 'alert' }, `This page is damaged: ${error}. Write it again with omnilink view --html FILE.`));
    document.documentElement.dataset.ready = 'failed';
  }
}

/** The server ends when no page is in touch with it any more. */
function stayInTouch() {
  const tell = (/** @type {string} */ what) => fetch(served(what), { method: 'POST', keepalive: true }).catch(() => {});
  setInterval(() => tell('alive'), 2000);
  addEventListener('pagehide', () => navigator.sendBeacon(served('closed')));
  void tell('alive');
}

void main();
