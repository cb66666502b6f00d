import type { Earned } from '../../../program/answers.ts';
import { createAsk } from '../../../program/ask.ts';
import { createAmounts, fill } from '../../../program/words.ts';

/**
 * `<loyalty-points product-id price prices currency locale proxy>`: what one unit of the product earns.
 * `prices`: `variant:price,…`, where the variants differ in price; the sentence follows the chosen one.
 * `lang`, `sentence`, `point`, `points`, `cashback`: the words, which Liquid knows; all languages of the program would
 * be three times as large as this script.
 */
class LoyaltyPoints extends HTMLElement {
  #price = '';

  connectedCallback(): void {
    document.addEventListener('shopify:product:select', this.#onSelect);
    document.addEventListener('change', this.#onChange);
    void this.#show(this.#read('price'));
  }

  disconnectedCallback(): void {
    document.removeEventListener('shopify:product:select', this.#onSelect);
    document.removeEventListener('change', this.#onChange);
  }

  #read(name: string): string {
    return this.getAttribute(name) ?? '';
  }

  async #show(price: string): Promise<void> {
    if (price === this.#price) return;
    this.#price = price;
    const query = new URLSearchParams({
      items: `${this.#read('product-id')}:${price}:1`,
      currency: this.#read('currency'),
    });
    const earned = await createAsk(this.#read('proxy'))<Earned>(`points?${query}`);
    // The shopper has chosen another variant meanwhile.
    if (price !== this.#price) return;
    const gain = earned.kind === 'ok' ? this.#amounts.about(earned.value) : undefined;
    this.textContent = gain === undefined ? '' : fill(this.#read('sentence'), { gain });
  }

  get #amounts(): ReturnType<typeof createAmounts> {
    const locale = this.#read('locale');
    // A page in a language that is not translated has English sentences, and their numbers.
    const isTranslated = locale.slice(0, 2) === this.lang.slice(0, 2);
    return createAmounts(
      {
        points: { one: this.#read('point'), other: this.#read('points') },
        cashback: this.#read('cashback'),
      },
      isTranslated ? locale : this.lang,
      this.#read('currency'),
    );
  }

  #priceOf(variantId: string | undefined): string | undefined {
    const prices = this.#read('prices').split(',');
    return prices.find((one) => one.startsWith(`${variantId}:`))?.split(':')[1];
  }

  /** The event of themes that follow Shopify's page "Standard storefront events". */
  readonly #onSelect = async (event: Event): Promise<void> => {
    const { promise } = event as Event & { readonly promise?: Promise<Selected> };
    try {
      const price = this.#priceOf((await promise)?.variant?.id.split('/').at(-1));
      if (price !== undefined) await this.#show(price);
    } catch {
      // The theme could not find the variant: the page still shows the one before.
    }
  };

  /** Other themes: the form that adds to the cart names the variant. An id of another product has no price here. */
  readonly #onChange = (): void => {
    const fields = document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name="id"]');
    for (const { value } of fields) {
      const price = this.#priceOf(value);
      if (price !== undefined) return void this.#show(price);
    }
  };
}

interface Selected {
  readonly variant?: { readonly id: string } | null;
}

// Each block brings the script.
if (!customElements.get('loyalty-points')) customElements.define('loyalty-points', LoyaltyPoints);
