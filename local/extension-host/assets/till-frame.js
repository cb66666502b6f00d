import './pos.js';
import { runExtension } from './run-extension.js';

/** One target of the extension. It reaches the till only through the global `shopify`. */
const root = document.querySelector('[data-extension]');
const { target, module } = JSON.parse(root.dataset.extension);
const customerId = new URLSearchParams(location.search).get('customer');
const { till } = globalThis.parent;

// A block is as high as its content; a modal fills the screen.
if (target.endsWith('.block.render')) {
  new ResizeObserver(() => {
    globalThis.frameElement.style.blockSize = `${root.offsetHeight}px`;
  }).observe(root);
}
globalThis.close = () => till.closeModal();
await runExtension({ module, root, shopify: till.apiOf(target, customerId) });
