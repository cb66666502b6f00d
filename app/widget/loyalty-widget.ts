import type { View as Answer, Redemption, Reward } from '../program/answers.ts';
import { createAsk } from '../program/ask.ts';
import { useInCart } from '../program/cart.ts';
import { ANY_PURCHASE, answered, isUncertain, Program, type Wanted } from '../program/program.ts';
import { asksFirst, sayNotRedeemed, sayRedeemed, sayUsed } from '../program/sentences.ts';
import { createWords, type Words } from '../program/words.ts';
import { drawBalance, drawEarned, drawProblem } from './balance.ts';
import { drawCodes, drawReferral, drawRewards, keyOf, redeemKey } from './rewards.ts';
import { type Actions, build, type Confirmation, focusOn, redraw, type View } from './view.ts';
import styles from './widget.css';

/** In the order in which they are shown. */
const drawings = {
  balance: drawBalance,
  earned: drawEarned,
  rewards: drawRewards,
  codes: drawCodes,
  referral: drawReferral,
  problem: drawProblem,
};

type Part = keyof typeof drawings;

/** Sections that `show` does not name: a shopper who redeems must see the code. */
const SHOWN_WITH: Readonly<Record<string, string>> = { codes: 'rewards', referral: 'balance' };

/** The event that the widget dispatches, with the redemption as its detail. */
const REDEEMED = 'loyalty:redeemed';

/** A code came into the cart of this browser: a theme that does not know by itself draws its cart anew. */
const USED = 'loyalty:used';

/** The same for a new view: other widgets of the page follow it. */
const VIEWED = 'loyalty:viewed';

/**
 * `<loyalty-widget product-id price currency locale>`: the loyalty program on a page of the store. Amounts are in
 * `currency`, the program's. A page with prices of another one leaves out `price`, `items` and `cart`.
 *
 *   `show`        sections by name: balance earned rewards (all); codes come with the rewards, the link for
 *                 friends with the balance
 *   `items`       instead of product and price, what earns points: `id:price:quantity,…`
 *   `cart`        the cart in the same form: rewards are offered for it, else for what earns points, else for any
 *   `page-currency`  that of the page's own prices, if it may be another: amounts then name theirs
 *   `proxy`       the path of the app proxy (/apps/loyalty)
 *   `log-in`      the address of the login (/account/login)
 *   `logged-out`  the page knows that the visitor is not logged in: saves requests
 * See docs/decisions/0026-pages-and-extensions-are-built-here-and-load-when-seen.md.
 */
export class LoyaltyWidget extends HTMLElement {
  static readonly observedAttributes = [
    'product-id',
    'price',
    'items',
    'cart',
    'currency',
    'locale',
  ];

  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #parts = new Map<Part, HTMLElement>();
  readonly #status = build('p', { part: 'status', role: 'status' });
  readonly #program = new Program({
    ask: (path, body) => createAsk(this.getAttribute('proxy') ?? '/apps/loyalty')(path, body),
    wanted: () => this.#wanted,
    changed: (...sections) => {
      this.#draw('problem', ...sections);
      if (!sections.includes('balance')) return;
      this.#draw('referral');
      this.#showOnPage();
    },
    settled: (redemption) => {
      this.#result = undefined;
      this.#draw('rewards', 'codes');
      const isPressed = this.#pressed.delete(redemption.rewardId);
      this.#finish(redemption, isPressed);
    },
  });
  readonly #actions: Actions = {
    redeem: (reward, value, answer) => void this.#redeem(reward, value, answer),
    use: (redemption) => void this.#use(redemption),
    takeBack: (redemption, answer) => void this.#takeBack(redemption, answer),
    copy: (text, shown) => void this.#copy(text, shown),
    reload: () => void this.#load(),
  };
  readonly #amounts: View['amounts'] = new Map();
  /** Rewards whose code shall come into the cart as soon as it is there. */
  readonly #pressed = new Set<number>();
  #result: View['result'];
  #busy: View['busy'];
  #asking: View['asking'];
  /** Not `isConnected`: that is true already while the parser reports the attributes. */
  #isShown = false;
  #isAsking = false;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    this.#root.adoptedStyleSheets = [sheet];
    for (const name of Object.keys(drawings) as Part[]) {
      const part = build('section', { part: `section section-${name}`, hidden: true });
      this.#parts.set(name, part);
      this.#root.append(part);
    }
    this.#root.append(this.#status);
  }

  connectedCallback(): void {
    this.#isShown = true;
    document.addEventListener(REDEEMED, this.#onRedeemed);
    document.addEventListener(VIEWED, this.#onViewed);
    void this.#load();
  }

  disconnectedCallback(): void {
    this.#isShown = false;
    document.removeEventListener(REDEEMED, this.#onRedeemed);
    document.removeEventListener(VIEWED, this.#onViewed);
    this.#program.stop();
  }

  /** A theme changes them when the shopper chooses another variant. */
  attributeChangedCallback(name: string): void {
    if (!this.#isShown) return;
    // Only currency and language affect every section; redrawing a form loses what was typed.
    if (name === 'locale' || name === 'currency') this.#draw();
    if (name === 'locale' || this.#isAsking) return;
    // One request when product and price change one after the other.
    this.#isAsking = true;
    queueMicrotask(() => {
      this.#isAsking = false;
      void (name === 'cart' ? this.#program.loadView() : this.#program.loadEarned());
    });
  }

  get #wanted(): Wanted {
    const show = this.getAttribute('show')?.split(/[\s,]+/);
    const id = this.getAttribute('product-id');
    const price = this.getAttribute('price');
    const item = id && price ? `${id}:${price}:1` : undefined;
    const items = this.getAttribute('items') ?? item;
    return {
      shows: (section) => !show || show.includes(SHOWN_WITH[section] ?? section),
      items,
      cart: this.getAttribute('cart') || items || ANY_PURCHASE,
      currency: this.getAttribute('currency') ?? undefined,
      isLoggedOut: this.hasAttribute('logged-out'),
    };
  }

  get #view(): View {
    return {
      model: this.#program.model,
      words: this.#wordsIn(this.#wanted.currency),
      actions: this.#actions,
      logInAddress: this.getAttribute('log-in') ?? '/account/login',
      subject: this.hasAttribute('items') ? 'cart' : 'product',
      isLoggedOut: this.#wanted.isLoggedOut,
      result: this.#result,
      busy: this.#busy,
      asking: this.#asking,
      amounts: this.#amounts,
    };
  }

  #wordsIn(currency: string | undefined): Words {
    const locale = this.getAttribute('locale') || document.documentElement.lang;
    return createWords(locale, currency, {
      pageCurrency: this.getAttribute('page-currency') || undefined,
    });
  }

  #draw(...names: readonly Part[]): void {
    const view = this.#view;
    const { shows } = this.#wanted;
    for (const [name, part] of this.#parts) {
      if (names.length > 0 && !names.includes(name)) continue;
      const nodes = name === 'problem' || shows(name) ? drawings[name](view) : [];
      part.lang = view.words.language;
      redraw(this.#root, part, nodes);
    }
  }

  /** Shows the sentence, and screen readers read it out. */
  #announce(sentence: string): void {
    this.#status.lang = this.#view.words.language;
    this.#status.textContent = sentence;
  }

  async #load(): Promise<void> {
    this.#draw();
    await this.#program.load();
  }

  async #redeem(
    reward: Reward,
    value: number | undefined,
    answer: Confirmation | undefined,
  ): Promise<void> {
    const { words, model } = this.#view;
    const key = redeemKey(reward);
    this.#result = undefined;
    const isAsked = answer !== undefined || asksFirst(reward, answered(model.view), value);
    if (isAsked) this.#ask(key, answer, 'rewards');
    if (isAsked && answer !== 'yes') return;
    if (this.#program.model.redeeming === undefined)
      this.#announce(words.strings.rewards.redeeming);
    const hadFocus = () => this.#root.activeElement?.getAttribute('data-key') === key;
    this.#pressed.add(reward.id);
    const redeemed = await this.#program.redeem(reward.id, value);
    if (redeemed.kind === 'busy') return;
    if (redeemed.kind === 'failed') {
      if (!isUncertain(redeemed)) this.#pressed.delete(reward.id);
      return this.#say([key], 'error', sayNotRedeemed(redeemed, words));
    }
    const redemption = redeemed.value;
    this.#say([key], 'done', sayRedeemed(redemption, words));
    // Leave the focus alone if the shopper has moved it meanwhile.
    if (hadFocus()) focusOn(this.#root, keyOf(redemption));
    this.#dispatch(REDEEMED, redemption);
    if (redemption.state === 'pending' || redemption.state === 'making') return;
    this.#pressed.delete(reward.id);
    this.#finish(redemption, true, [key, keyOf(redemption)]);
  }

  /** Says what a redemption became; one that was pressed here comes into the cart at once. */
  #finish(redemption: Redemption, isPressed: boolean, keys?: readonly string[]): void {
    const said = sayRedeemed(redemption, this.#view.words);
    if (isPressed && redemption.state === 'ready') void this.#use(redemption, keys, said);
    else this.#announce(said);
  }

  /** `keys`, `before`: where to say what came of it, and what to say before. */
  async #use(
    redemption: Redemption,
    keys: readonly string[] = [keyOf(redemption)],
    before = '',
  ): Promise<void> {
    if (this.#busy !== undefined) return;
    const { words } = this.#view;
    this.#setBusy(redemption.id);
    const used = await useInCart(redemption.code ?? '');
    this.#setBusy(undefined);
    const isUsed = used.kind === 'used';
    const sentence = sayUsed(used, words, (currency) => this.#wordsIn(currency));
    this.#say(keys, isUsed || before ? 'done' : 'error', `${before} ${sentence}`.trim());
    if (isUsed) this.#dispatch(USED, redemption);
  }

  /** Shows the question, or after its answer the button that was pressed. */
  #ask(key: string, answer: Confirmation | undefined, part: Part, pressed = key): void {
    this.#asking = answer ? undefined : key;
    this.#draw(part);
    focusOn(this.#root, answer ? pressed : `${key}-yes`);
  }

  async #takeBack(redemption: Redemption, answer: Confirmation | undefined): Promise<void> {
    if (this.#busy !== undefined) return;
    const { words } = this.#view;
    const { id } = redemption;
    const key = keyOf(redemption);
    this.#result = undefined;
    this.#ask(key, answer, 'codes', `${key}-back`);
    if (answer !== 'yes') return;
    this.#setBusy(id);
    const taken = await this.#program.takeBack(id);
    this.#setBusy(undefined);
    if (taken.kind === 'failed') return this.#say([key], 'error', words.failure(taken));
    this.#announce(words.state(taken.value.state));
    focusOn(this.#root, key);
    this.#dispatch(REDEEMED, taken.value);
  }

  #setBusy(redemptionId: string | undefined): void {
    this.#busy = redemptionId;
    this.#draw('codes');
  }

  /** Shows the sentence where the shopper pressed, and screen readers read it out. */
  #say(keys: readonly string[], part: 'error' | 'done', sentence: string): void {
    this.#result = { keys, part, sentence };
    this.#draw('rewards', 'codes');
    this.#announce(sentence);
  }

  #dispatch(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }));
  }

  async #copy(text: string, shown: HTMLElement): Promise<void> {
    const { copied, notCopied } = this.#view.words.strings.codes;
    try {
      await navigator.clipboard.writeText(text);
      this.#announce(copied);
    } catch {
      getSelection()?.selectAllChildren(shown);
      this.#announce(notCopied);
    }
  }

  /** What the page itself shows of the balance, such as in its header, is of the same moment. */
  #showOnPage(): void {
    const { model, words } = this.#view;
    const view = answered(model.view);
    if (!view?.loggedIn) return;
    const texts = {
      points: view.points === null ? undefined : words.number(view.points),
      balance: view.points === null ? undefined : words.points(view.points),
      cashback: view.cashback === null ? undefined : words.money(view.cashback),
      tier: view.tier?.name,
    };
    for (const [name, text] of Object.entries(texts)) {
      for (const element of document.querySelectorAll(`[data-loyalty="${name}"]`)) {
        if (text !== undefined) element.textContent = text;
      }
    }
    this.#dispatch(VIEWED, view);
  }

  /** Another widget of the page has spent points. */
  readonly #onRedeemed = ({ target }: Event): void => {
    if (target !== this) this.#program.expectChange();
  };

  /** Another widget of the page knows a newer balance. */
  readonly #onViewed = (event: Event): void => {
    const { detail } = event as CustomEvent<Answer>;
    const shown = answered(this.#program.model.view);
    const isNewer = shown && (detail.asOf ?? '') > (shown.asOf ?? '');
    if (event.target !== this && isNewer && detail.points !== shown.points) {
      void this.#program.loadView();
    }
  };
}
