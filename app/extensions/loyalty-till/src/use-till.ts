import type { Api } from '@shopify/ui-extensions/pos.customer-details.action.render';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { createAsk } from '../../../program/ask.ts';
import { forStaff, type TillStrings, tillStrings } from '../../../program/strings/till.ts';
import { createWords, type Words } from '../../../program/words.ts';
import { itemsOf, storedKeys, Till, type TillCart } from './till.ts';

/** What both targets have. Named one by one: Shopify's type allows every property name. */
type TillApi = Pick<Api, 'cart' | 'connectivity' | 'customer' | 'locale' | 'session' | 'storage'>;

export interface TillView {
  readonly till: Till;
  readonly words: Words;
  readonly strings: TillStrings;
  readonly cart: TillCart;
  readonly isOffline: boolean;
}

/** A scanned product is rarely the last one. */
const AFTER_A_CHANGE_MS = 400;

/** The customer whose details are open. Draws again when the program, the cart or the connection changes. */
export function useTill(): TillView {
  const api = shopify as TillApi;
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  const [till] = useState(() => createTill(api, () => draw(undefined)));
  const cart = api.cart.current.value;
  const isOffline = api.connectivity.current.value.internetConnected === 'Disconnected';
  const { currency } = api.session.currentSession;

  useEffect(() => {
    const ends = [api.cart.current, api.connectivity.current, api.locale.current].map((signal) =>
      signal.subscribe(() => draw(undefined)),
    );
    return () => {
      till.program.stop();
      for (const end of ends) end();
    };
  }, []);
  // The rewards depend on the products, and a changed discount may be a code that was used up.
  const relevant = JSON.stringify([isOffline, itemsOf(cart), cart.cartDiscounts.length]);
  useEffect(() => {
    if (isOffline) return;
    const timer = setTimeout(() => void till.program.load(), AFTER_A_CHANGE_MS);
    return () => clearTimeout(timer);
  }, [relevant]);

  const words = createWords(api.locale.current.value, currency, { adapt: forStaff });
  return { till, cart, isOffline, words, strings: tillStrings[words.language] };
}

function createTill(api: TillApi, changed: () => void): Till {
  const { cart, customer, session, storage } = api;
  return new Till({
    // No token: this user may not use the app, and the function says so.
    ask: createAsk(
      `${STOREFRONT_ADDRESS}/till/${customer.id}`,
      async () => (await session.getSessionToken()) ?? '',
    ),
    // That of the location, and so of the store: a till sells in no other (Shopify, "Guidelines and
    // restrictions for selling in local currencies").
    sale: { customerId: customer.id, currency: session.currentSession.currency },
    keys: storedKeys(storage, customer.id, () => Date.now()),
    cart: () => cart.current.value,
    applyCode: (code) => cart.addCartCodeDiscount(code),
    changed,
  });
}
