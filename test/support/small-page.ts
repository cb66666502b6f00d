import { vi } from 'vitest';

type Child = SmallNode | string;
type Listener = ((event: object) => unknown) | null;

/**
 * A page without a browser: as much of the DOM as Preact and our widgets use, to look at what they show in each state.
 * Focus, styles and what a browser does by itself are tested in test/long.
 */
export class SmallNode {
  readonly childNodes: SmallNode[] = [];
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, Set<Listener>>();
  // Preact writes listeners in lower case where the element has these.
  readonly onclick = null;
  readonly oninput = null;
  readonly onsubmit = null;
  localName = '';
  data = '';
  hidden = false;
  parentNode: SmallNode | null = null;
  shadow: SmallNode | undefined;

  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get nextSibling() {
    const all = this.parentNode?.childNodes ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }
  get textContent(): string {
    return this.data + this.childNodes.map((one) => one.textContent).join('');
  }
  set textContent(text: string) {
    this.replaceChildren(text);
  }
  get valueAsNumber() {
    return Number.parseFloat(this.getAttribute('value') ?? '');
  }
  get lang() {
    return this.getAttribute('lang') ?? '';
  }
  set lang(tag: string) {
    this.setAttribute('lang', tag);
  }
  get value() {
    return this.getAttribute('value') ?? '';
  }
  set value(text: string) {
    this.setAttribute('value', text);
  }

  insertBefore(node: SmallNode, before: SmallNode | null): SmallNode {
    if (node === before) return node;
    node.remove();
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(at, 0, node);
    node.parentNode = this;
    node.connectedCallback?.();
    return node;
  }
  append(...nodes: readonly Child[]): void {
    for (const one of nodes) this.insertBefore(typeof one === 'string' ? textNode(one) : one, null);
  }
  replaceChildren(...nodes: readonly Child[]): void {
    for (const one of [...this.childNodes]) one.remove();
    this.append(...nodes);
  }
  removeChild(node: SmallNode): void {
    node.remove();
  }
  remove(): void {
    const all = this.parentNode?.childNodes;
    this.parentNode = null;
    if (!all) return;
    all.splice(all.indexOf(this), 1);
    this.disconnectedCallback?.();
  }
  connectedCallback?(): void;
  disconnectedCallback?(): void;
  attributeChangedCallback?(name: string): void;

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
    this.attributeChangedCallback?.(name);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
  attachShadow(): SmallNode {
    this.shadow = new SmallNode();
    this.shadow.parentNode = this;
    return this.shadow;
  }

  get all(): readonly SmallNode[] {
    const inside = this.shadow ? [this.shadow] : this.childNodes;
    return inside.flatMap((one) => [one, ...one.all]);
  }
  /** By a tag, an attribute, or an attribute with its value. */
  querySelectorAll(selector: string): readonly SmallNode[] {
    const [, tag, name = '', value] =
      /^([\w-]*)(?:\[([\w-]+)(?:="(.*)")?\])?$/.exec(selector.split(' ').at(-1) ?? '') ?? [];
    return this.all.filter(
      (one) =>
        (!tag || one.localName === tag) &&
        (!name || one.hasAttribute(name)) &&
        (value === undefined || one.getAttribute(name) === value),
    );
  }
  querySelector(selector: string): SmallNode | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  contains(node: SmallNode | null): boolean {
    return node === this || this.all.some((one) => one === node);
  }
  hasChildNodes = () => this.childNodes.length > 0;
  toggleAttribute(): void {}
  reportValidity = () => true;
  focus(): void {}
  showModal(): void {}

  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, (this.listeners.get(type) ?? new Set()).add(listener));
  }
  removeEventListener(type: string, listener: Listener): void {
    this.listeners.get(type)?.delete(listener);
  }
  dispatchEvent(event: Event): void {
    Object.defineProperty(event, 'target', { value: this });
    for (let at: SmallNode | null = this; at; at = event.bubbles ? at.parentNode : null) {
      Object.defineProperty(event, 'currentTarget', { value: at, configurable: true });
      for (const one of at.listeners.get(event.type) ?? []) one?.call(at, event);
    }
  }

  /** What it shows, in its order: texts, where a link leads, and of a field its label, value, error and limits. */
  get shown(): readonly string[] {
    if (this.hidden) return [];
    const said = SAID.flatMap((name) => this.getAttribute(name) || []);
    const [least, most] = ['min', 'max'].map((name) => this.getAttribute(name));
    const range = this.localName.includes('progress') || !most ? [] : [`${least} to ${most}`];
    const own = this.data.trim() === '' ? [] : [this.data.trim()];
    const inside = (this.shadow ? [this.shadow] : this.childNodes).flatMap((one) => one.shown);
    const all = [...said, ...range, ...own, ...inside];
    return this.hasAttribute('disabled') ? all.map((one) => `off: ${one}`) : all;
  }
  /** Presses what has this text, or this label. */
  press(text: string): void {
    const found = this.all.find((one) => one.listeners.has('click') && one.textContent === text);
    if (!found) throw new Error(`Nothing to press has ${text}: ${this.shown.join(' | ')}`);
    found.dispatchEvent(new Event('click', { bubbles: true }));
  }
  /** Types into the field with this label. */
  enter(label: RegExp, text: string): void {
    const found = this.all.find(
      (one) => one.listeners.has('input') && (one.getAttribute('label') ?? '').match(label),
    );
    if (!found) throw new Error(`No field has ${label}: ${this.shown.join(' | ')}`);
    found.value = text;
    found.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

const SAID = ['heading', 'subheading', 'label', 'value', 'error', 'href'];

const textNode = (data: unknown) => Object.assign(new SmallNode(), { data: String(data) });

const elements = new Map<string, new () => SmallNode>();

/** A new page with an empty body, behind the globals of a browser. */
export function openSmallPage(globals: Readonly<Record<string, unknown>> = {}) {
  const createElement = (tag: string) =>
    Object.assign(new (elements.get(tag) ?? SmallNode)(), { localName: tag });
  const body = createElement('body');
  const document = Object.assign(new SmallNode(), {
    ...{ createElement, createElementNS: (_: string, tag: string) => createElement(tag) },
    ...{ createTextNode: textNode, body, documentElement: { lang: 'en' } },
    ...{ visibilityState: 'visible', title: '' },
  });
  document.append(body);
  const page = {
    document,
    HTMLElement: SmallNode,
    CSSStyleSheet: class {
      replaceSync(): void {}
    },
    customElements: {
      get: (name: string) => elements.get(name),
      define: (name: string, made: new () => SmallNode) => elements.set(name, made),
    },
    ...globals,
  };
  for (const [name, value] of Object.entries(page)) vi.stubGlobal(name, value);
  return { body, document, createElement };
}
