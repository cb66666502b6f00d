type Value = string | number | boolean | undefined | ((event: Event) => void);

export type Child = Node | string | false | undefined;

/**
 * An element with its attributes (a function is a listener: `click`) and children. Texts become text
 * nodes and nothing is ever parsed as HTML: titles and messages come from a service.
 */
export function build<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Value>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child !== false && child !== undefined));
  return element;
}

/** The attribute that identifies an element after its section was redrawn. */
const KEY = 'data-key';

/** Redraws a part and keeps the focus on the element with the same key. */
export function redraw(root: ShadowRoot, part: HTMLElement, children: readonly Node[]): void {
  const key = part.contains(root.activeElement) && root.activeElement?.getAttribute(KEY);
  part.replaceChildren(...children);
  if (typeof key !== 'string') return;
  focusOn(root, key);
  if (root.activeElement) return;
  // The element is gone or disabled: focus on the section is better than at the top of the page.
  part.setAttribute('tabindex', '-1');
  part.focus();
}

export function focusOn(root: ShadowRoot, key: string): void {
  const elements = [...root.querySelectorAll<HTMLElement>(`[${KEY}]`)];
  elements.find((element) => element.getAttribute(KEY) === key)?.focus();
}
