import type { View as Answer, Redemption, Reward } from '../program/answers.ts';
import { createAsk } from '../program/ask.ts';
import { ANY_PURCHASE, answered, Program, type Wanted } from '../program/program.ts';
import { sayAnswered, sayNotRedeemed, sayRedeemed } from '../program/sentences.ts';
import { createWords } from '../program/words.ts';
import { drawBalance, drawEarned, drawProblem } from './balance.ts';
import { drawQuizzes } from './quizzes.ts';
import { drawCodes, drawRewards, keyOf } from './rewards.ts';
import { type Actions, build, focusOn, redraw, type View } from './view.ts';
import styles from './widget.css';

/** In the order in which they are shown. */
const drawings = {
  balance: drawBalance,
  earned: drawEarned,
  rewards: drawRewards,
  codes: drawCodes,
  quizzes: drawQuizzes,
  problem: drawProblem,
};

type Part = keyof typeof drawings;

/** The event that the widget dispatches, with the redemption as its detail. */
const REDEEMED = 'loyalty:redeemed';

/** The same for a new view: other widgets of the page follow it. */
const VIEWED = 'loyalty:viewed';

/**
 * `<loyalty-widget product-id price currency locale>`: the loyalty program on a page of the store. Amounts are in
 * `currency`, the program's. A page with prices of another one leaves out `price`, `items` and `cart`.
 *
 *   `show`        sections by name: balance earned rewards quizzes (all); codes come with the rewards
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
      if (sections.includes('balance')) this.#showOnPage();
    },
    settled: (redemption) => {
      this.#result = undefined;
      this.#draw('rewards');
      this.#announce(sayRedeemed(redemption, this.#view.words));
    },
  });
  readonly #actions: Actions = {
    redeem: (reward, value) => void this.#redeem(reward, value),
    copy: (redemption, shown) => void this.#copy(redemption, shown),
    reload: () => void this.#load(),
    answer: async (quiz, answers) => {
      const answer = await this.#program.answer(quiz, answers);
      const said = sayAnswered(answer, this.#program.hasCompleted(quiz), this.#view.words);
      if (said.kind === 'refused') return said.sentence;
      this.#thanks.set(quiz.id, said.sentence);
      this.#draw('quizzes');
      this.#announce(said.sentence);
      focusOn(this.#root, `quiz-${quiz.id}`);
      return undefined;
    },
  };
  readonly #amounts: View['amounts'] = new Map();
  readonly #thanks: View['thanks'] = new Map();
  #result: View['result'];
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
      // A shopper who redeems must see the code.
      shows: (section) => !show || show.includes(section === 'codes' ? 'rewards' : section),
      items,
      cart: this.getAttribute('cart') || items || ANY_PURCHASE,
      currency: this.getAttribute('currency') ?? undefined,
      isLoggedOut: this.hasAttribute('logged-out'),
    };
  }

  get #view(): View {
    const locale = this.getAttribute('locale') || document.documentElement.lang;
    return {
      model: this.#program.model,
      words: createWords(locale, this.#wanted.currency, {
        pageCurrency: this.getAttribute('page-currency') || undefined,
      }),
      actions: this.#actions,
      logInAddress: this.getAttribute('log-in') ?? '/account/login',
      subject: this.hasAttribute('items') ? 'cart' : 'product',
      isLoggedOut: this.#wanted.isLoggedOut,
      result: this.#result,
      thanks: this.#thanks,
      amounts: this.#amounts,
    };
  }

  #draw(...names: readonly Part[]): void {
    const view = this.#view;
    const { shows } = this.#wanted;
    for (const [name, part] of this.#parts) {
      if (names.length > 0 && !names.includes(name)) continue;
      const nodes = name === 'problem' || shows(name) ? drawings[name](view) : [];
      part.lang = view.words.language;
      part.hidden = nodes.length === 0;
      redraw(this.#root, part, nodes);
    }
    // Quizzes are below the rewards: shown before them, they would move when the rewards come.
    const isWaiting = view.model.view === undefined && (shows('balance') || shows('rewards'));
    const quizzes = this.#parts.get('quizzes');
    if (quizzes?.hasChildNodes()) quizzes.hidden = isWaiting;
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

  async #redeem({ id }: Reward, value: number | undefined): Promise<void> {
    const { words } = this.#view;
    this.#result = undefined;
    if (this.#program.model.redeeming === undefined)
      this.#announce(words.strings.rewards.redeeming);
    const hadFocus = () => this.#root.activeElement?.getAttribute('data-key') === `redeem-${id}`;
    const redeemed = await this.#program.redeem(id, value);
    if (redeemed.kind === 'busy') return;
    const isDone = redeemed.kind === 'ok';
    const sentence = isDone ? sayRedeemed(redeemed.value, words) : sayNotRedeemed(redeemed, words);
    this.#result = { rewardId: id, sentence, part: isDone ? 'done' : 'error' };
    this.#draw('rewards');
    this.#announce(sentence);
    if (!isDone) return;
    // Leave the focus alone if the shopper has moved it meanwhile.
    if (hadFocus()) focusOn(this.#root, keyOf(redeemed.value));
    this.#dispatch(REDEEMED, redeemed.value);
  }

  #dispatch(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }));
  }

  async #copy({ code }: Redemption, shown: HTMLElement): Promise<void> {
    const { copied, notCopied } = this.#view.words.strings.codes;
    try {
      await navigator.clipboard.writeText(code ?? '');
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
