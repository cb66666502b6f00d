import type { HasCustomer, RateLimit } from '../../core/storefront/cached-uses.ts';
import type { Storefront } from '../../core/storefront/storefront.ts';
import type { WebhookSecretReader } from '../webhooks/signature.ts';

export interface StorefrontRequest {
  readonly method: string;
  /** As sent: `/example-store/me`. */
  readonly path: string;
  /** As sent, without the question mark: of a proxied request, this text was signed. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface ServedShop {
  readonly domain: string;
  /** The same secret signs webhooks, proxied requests and session tokens. */
  readonly secrets: WebhookSecretReader;
  /** The app whose session tokens are accepted; undefined: the connector does not know it. */
  readonly clientId: () => Promise<string | undefined>;
  readonly storefront: Storefront;
  /** Asked for the customers whom tills name. */
  readonly hasCustomer: HasCustomer;
  readonly rateLimit: {
    readonly customer: RateLimit;
    /** All who are not logged in. */
    readonly anonymous: RateLimit;
    /** One user of the point of sale. */
    readonly staff: RateLimit;
    /** All users of the point of sale. */
    readonly tills: RateLimit;
  };
}
