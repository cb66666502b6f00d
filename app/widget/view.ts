import type { Redemption, Reward } from '../program/answers.ts';
import type { Model } from '../program/program.ts';
import type { Words } from '../program/words.ts';

export type Confirmation = 'yes' | 'no';

export interface Actions {
  /** `value`: the chosen amount of cashback. Of most of the points it asks first. */
  redeem(reward: Reward, value?: number, answer?: Confirmation): void;
  /** Puts its code into the cart of this browser. */
  use(redemption: Redemption): void;
  /** Asks whether to, and after a second press takes it back; `no`: does not. */
  takeBack(redemption: Redemption, answer?: Confirmation): void;
  /** `shown`: what is selected where it cannot be copied. */
  copy(text: string, shown: HTMLElement): void;
  reload(): void;
}

export interface View {
  readonly model: Readonly<Model>;
  readonly words: Words;
  readonly actions: Actions;
  readonly logInAddress: string;
  /** What earns the points shown. */
  readonly subject: 'product' | 'cart';
  /** What was typed into the fields for amounts, by reward: it outlives a redrawing. */
  readonly amounts: Map<number, string>;
  /** The page knows that the visitor is not logged in. */
  readonly isLoggedOut: boolean;
  /** What became of the last press, shown where it was, and at the code that came of it: at elements with these keys. */
  readonly result:
    | {
        readonly keys: readonly string[];
        readonly sentence: string;
        readonly part: 'error' | 'done';
      }
    | undefined;
  /** The redemption that is being used or taken back. */
  readonly busy: string | undefined;
  /** The key of the redemption that is to be taken back, or of the reward that takes most points: the shopper is asked. */
  readonly asking: string | undefined;
}

type Value = string | number | boolean | undefined | ((event: Event) => void);

/** What is falsy is left out. */
export type Child = Node | string | false | null | undefined | 0;

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
  element.append(...shown(children));
  return element;
}

const shown = (children: readonly Child[]) =>
  children.filter((child): child is Node | string => !!child);

/** The attribute that identifies an element after its section was redrawn. */
const KEY = 'data-key';

/** Redraws a part and keeps the focus on the element with the same key. */
export function redraw(root: ShadowRoot, part: HTMLElement, children: readonly Child[]): void {
  const key = part.contains(root.activeElement) && root.activeElement?.getAttribute(KEY);
  const wasOpen = part.querySelector('details')?.open ?? false;
  part.replaceChildren(...shown(children));
  part.querySelector('details')?.toggleAttribute('open', wasOpen);
  part.hidden = !part.hasChildNodes();
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
