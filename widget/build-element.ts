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

/** The attribute by which an element is found again after its section was drawn anew. */
const KEY = 'data-key';

/** Draws a part anew and leaves the focus where it was, on what has taken the place of its element. */
export function redraw(root: ShadowRoot, part: HTMLElement, children: readonly Node[]): void {
  const key = part.contains(root.activeElement) && root.activeElement?.getAttribute(KEY);
  part.replaceChildren(...children);
  if (typeof key !== 'string') return;
  focusOn(root, key);
  if (root.activeElement) return;
  // It is gone, or can no longer be pressed: near it is better than at the top of the page.
  part.setAttribute('tabindex', '-1');
  part.focus();
}

export function focusOn(root: ShadowRoot, key: string): void {
  const elements = [...root.querySelectorAll<HTMLElement>(`[${KEY}]`)];
  elements.find((element) => element.getAttribute(KEY) === key)?.focus();
}
