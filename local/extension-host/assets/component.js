/** What a page of the host decides about links with a protocol of Shopify's, such as `extension://`. */
export const host = { resolve: (href) => href };

const shared = styleSheet(`
  :host { display: block; min-inline-size: 0; }
  :host([hidden]) { display: none; }
  *, :host { box-sizing: border-box; }
`);

export function styleSheet(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/**
 * A component as a custom element: its properties are those that Shopify documents, as properties and as
 * attributes, and its events are those of the plain element inside.
 */
export class Component extends HTMLElement {
  /** Name and default of each property. */
  static properties = {};
  /** Events that no plain element has: `copyerror`. */
  static events = [];
  static css = '';
  state = { ...this.constructor.properties };

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    const { sheet } = this.constructor;
    root.adoptedStyleSheets = [shared, sheet];
    this.build(root);
  }

  attributeChangedCallback(attribute, _, value) {
    const { properties } = this.constructor;
    const name = Object.keys(properties).find((one) => one.toLowerCase() === attribute);
    this[name] = typeof properties[name] === 'boolean' ? value !== null : value;
  }

  connectedCallback() {
    this.update();
  }

  /** The content of the shadow tree, made once. */
  build(root) {
    root.append(document.createElement('slot'));
  }

  /** Brings the shadow tree up to date with the properties. */
  update() {}
}

export function define(tag, component) {
  const { properties, events, prototype } = component;
  component.sheet = styleSheet(component.css);
  component.observedAttributes = Object.keys(properties).map((name) => name.toLowerCase());
  for (const [name, byDefault] of Object.entries(properties)) {
    Object.defineProperty(prototype, name, {
      get() {
        return this.state[name];
      },
      set(value) {
        this.state[name] = value ?? byDefault;
        if (this.isConnected) this.update();
      },
    });
  }
  // Preact takes the name of an event from the element's properties.
  for (const event of events) prototype[`on${event}`] = null;
  customElements.define(tag, component);
}

/** An element with its properties and children. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export function setAttribute(element, name, value) {
  if (value === undefined || value === '' || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : value);
}
