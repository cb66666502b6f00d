// On every page with one of our blocks, so it stays tiny: the widget is loaded where it is about to be seen.
// See docs/decisions/0026-pages-and-extensions-are-built-here-and-load-when-seen.md.

/** Begins to load before the shopper arrives, so that it grows below the visible part of the page. */
const AHEAD = '600px';

/** Loads the widget's script once, however many blocks ask for it: only Liquid knows its address. */
function loadWidget(block: HTMLElement): void {
  const { href } = new URL(block.getAttribute('widget') ?? '', document.baseURI);
  if ([...document.scripts].some(({ src }) => src === href)) return;
  const script = document.createElement('script');
  script.src = href;
  // The next block, or the next press, tries again.
  script.addEventListener('error', () => script.remove());
  document.head.append(script);
}

/** `<loyalty-program widget="…">` around the widget. */
class LoyaltyProgram extends HTMLElement {
  readonly #seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#seen.disconnect();
      loadWidget(this);
    },
    { rootMargin: AHEAD },
  );

  connectedCallback(): void {
    this.#seen.observe(this);
  }

  disconnectedCallback(): void {
    this.#seen.disconnect();
  }
}

/** Links to it open the panel too, such as an entry of the store's menu. */
const LINK = '#loyalty';

/** `<loyalty-panel widget="…" cart="/cart">` with a button and a dialog; the widget waits in a template. */
class LoyaltyPanel extends HTMLElement {
  #reading: unknown;

  connectedCallback(): void {
    document.addEventListener('click', this.#onClick);
    if (location.hash === LINK && isFirst(this)) void this.#open();
  }

  disconnectedCallback(): void {
    document.removeEventListener('click', this.#onClick);
  }

  get #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog');
  }

  async #open(): Promise<void> {
    this.#dialog?.showModal();
    loadWidget(this);
    const template = this.querySelector('template');
    const widget = (template?.content ?? this).querySelector('loyalty-widget');
    const reading = this.#readCart(widget?.getAttribute('currency'));
    this.#reading = reading;
    const lines = await reading;
    // Opened again meanwhile: that cart is the newer one.
    if (reading !== this.#reading) return;
    if (lines !== undefined && lines !== widget?.getAttribute('cart')) {
      widget?.setAttribute('cart', lines);
    }
    template?.replaceWith(template.content);
  }

  /** Themes change the cart without a new page, and the rewards depend on it. As in loyalty-widget.liquid. */
  async #readCart(programCurrency: string | null | undefined): Promise<string | undefined> {
    try {
      const answer = await fetch(`${this.getAttribute('cart')}.js`);
      const {
        currency,
        items,
        items_subtotal_price: subtotal,
        total_price: total,
      }: Cart = await answer.json();
      if (currency !== programCurrency) return '';
      const paidPart = subtotal > 0 ? total / subtotal : 1;
      const priceOf = (line: CartLine) => Number(((line.final_price * paidPart) / 100).toFixed(4));
      return items
        .slice(0, 50)
        .map((line) => `${line.product_id}:${priceOf(line)}:${line.quantity}`)
        .join();
    } catch {
      return undefined;
    }
  }

  readonly #onClick = (event: MouseEvent): void => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    // The area around the panel is a part of the dialog.
    if (target === this.#dialog) this.#dialog?.close();
    const isLink = target.closest('a')?.hash === LINK && isFirst(this);
    if (isLink) event.preventDefault();
    if (isLink || target.closest('button')?.parentElement === this) void this.#open();
  };
}

/** Shopify's page "Cart API reference". */
interface Cart {
  /** The visitor's, of all amounts. */
  readonly currency: string;
  readonly items: readonly CartLine[];
  /** After discounts on lines, before those on the whole cart. */
  readonly items_subtotal_price: number;
  readonly total_price: number;
}

interface CartLine {
  readonly product_id: number;
  readonly final_price: number;
  readonly quantity: number;
}

const isFirst = (panel: LoyaltyPanel): boolean => document.querySelector('loyalty-panel') === panel;

// Each block brings the script.
if (!customElements.get('loyalty-panel')) {
  customElements.define('loyalty-program', LoyaltyProgram);
  customElements.define('loyalty-panel', LoyaltyPanel);
}
