import './layout.js';
import './text.js';
import './controls.js';

/** A value of Shopify's that may change; it becomes a signal of the extension once that hands over its class. */
class Changing {
  constructor(value) {
    this.value = value;
  }

  subscribe(run) {
    run(this.value);
    return () => {};
  }
}

export const changing = (value) => new Changing(value);

/** As Shopify does it: the global `shopify`, then the function that the extension's module exports. */
export async function runExtension({ module, root, shopify }) {
  globalThis.shopify = { ...shopify, setSignals: (Signal) => adopt(globalThis.shopify, Signal) };
  // In its worker the body is the extension's own.
  Object.defineProperty(document, 'body', { value: root });
  const { default: start } = await import(module);
  await start();
}

/** `@shopify/ui-extensions/preact` calls it, so that reading a value redraws the reader when it changes. */
function adopt(api, Signal) {
  for (const [name, value] of Object.entries(api)) {
    if (value instanceof Changing) api[name] = new Signal(value.value);
    else if (value?.constructor === Object) adopt(value, Signal);
  }
}
