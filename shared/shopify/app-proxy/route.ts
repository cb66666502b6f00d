import type { Storefront } from '../../core/storefront/storefront.ts';
import type { ProxyAnswer } from './proxy-answer.ts';

/** What a shopper asks, after it was proved who asks. */
interface Question<Customer> {
  /** Whom Shopify says is logged in. Nothing else in a request can name a customer. */
  readonly customerId: Customer;
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  readonly storefront: Storefront;
}

export type ForCustomer = (question: Question<string>) => Promise<ProxyAnswer>;
export type ForEverybody = (question: Question<string | undefined>) => Promise<ProxyAnswer>;

export type Route = {
  readonly method: 'GET' | 'POST';
  /** Parameters of the query that it knows; any other is refused. */
  readonly parameters: readonly string[];
} & (
  | { readonly for: 'customer'; readonly answer: ForCustomer }
  /** Works while nobody is logged in, too. */
  | { readonly for: 'everybody'; readonly answer: ForEverybody }
);
