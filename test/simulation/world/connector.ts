import {
  type ConnectorSettings,
  defineConnector,
} from '../../../shared/config/connector-config.ts';

export const SHOP = 'example-store.myshopify.com';
export const PATH = '/example-store';
export const SECRET = 'secret-of-the-simulation';

/**
 * The deployment that is simulated. An amount that rises after a partial cancel is sent and not parked, so that both
 * sides can be compared at the end, and lost disputes count; all other settings have their defaults.
 */
const settings: ConnectorSettings = {
  shops: [{ domain: SHOP }],
  loyalty: {
    address: 'https://loyalty.example.com',
    assumptions: { raiseAfterPartialCancel: 'send-gross' },
  },
  rules: { lostDisputes: 'take-back' },
  storefront: {},
};

export const connector = defineConnector(settings);
/** Where cashback becomes store credit. */
export const crediting = defineConnector({
  ...settings,
  storefront: { cashback: 'store-credit' },
});

const [shop] = connector.shops;
if (!shop) throw new Error('the simulated deployment has no shop');

/** The settings of a run: in some runs a person changes whether taxes count. */
export class Rules {
  readonly #now: () => number;
  readonly #redactedCustomers: 'keep' | 'deactivate';
  /** Epoch milliseconds; 0: never. */
  readonly changeAt: number;
  /** The shop is only observed. */
  isObserved = false;

  constructor(
    now: () => number,
    { changeAt, deactivates }: { readonly changeAt: number; readonly deactivates: boolean },
  ) {
    this.#now = now;
    this.changeAt = changeAt;
    this.#redactedCustomers = deactivates ? 'deactivate' : 'keep';
  }

  get current(): typeof shopRules {
    const taxes = this.#now() < this.changeAt ? 'include' : 'exclude';
    return { ...shopRules, redactedCustomers: this.#redactedCustomers, taxes };
  }
}

export const shopRules = shop.rules;
