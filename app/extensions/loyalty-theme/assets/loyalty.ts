// On every page with one of our blocks, so it stays tiny: the widget is loaded where it is about to be seen.
// See docs/decisions/0065-blocks-load-what-is-seen.md.

/** Begins to load before the shopper arrives, so that it grows below the visible part of the page. */
const AHEAD = '600px';

/** Loads a script once, however many blocks ask for it. */
function load(address: string): void {
  if ([...document.scripts].some(({ src }) => src === address)) return;
  const script = document.createElement('script');
  script.src = address;
  document.head.append(script);
}

abstract class ThemeBlock extends HTMLElement {
  /** The address of the widget's script: only Liquid knows it. */
  protected loadWidget(): void {
    load(new URL(this.getAttribute('widget') ?? '', document.baseURI).href);
  }
}

/** `<loyalty-program widget="…">` around the widget. */
class LoyaltyProgram extends ThemeBlock {
  readonly #seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#seen.disconnect();
      this.loadWidget();
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

/** `<loyalty-panel widget="…">` with a button and a dialog; the widget waits in a template. */
class LoyaltyPanel extends ThemeBlock {
  connectedCallback(): void {
    this.querySelector('button')?.addEventListener('click', () => this.open());
    // The area around the dialog belongs to the dialog.
    this.#dialog?.addEventListener('click', ({ target }) => {
      if (target === this.#dialog) this.#dialog?.close();
    });
    document.addEventListener('click', this.#onClick);
    if (location.hash === LINK && isFirst(this)) this.open();
  }

  disconnectedCallback(): void {
    document.removeEventListener('click', this.#onClick);
  }

  open(): void {
    const template = this.querySelector('template');
    template?.replaceWith(template.content);
    this.loadWidget();
    this.#dialog?.showModal();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog');
  }

  readonly #onClick = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link?.hash !== LINK || !isFirst(this)) return;
    event.preventDefault();
    this.open();
  };
}

const isFirst = (panel: LoyaltyPanel): boolean => document.querySelector('loyalty-panel') === panel;

// Each block brings the script.
if (!customElements.get('loyalty-panel')) {
  customElements.define('loyalty-program', LoyaltyProgram);
  customElements.define('loyalty-panel', LoyaltyPanel);
}
