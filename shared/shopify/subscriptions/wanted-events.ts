import { productEventDocument } from '../admin/documents.gen.ts';
import { topicRoutes } from '../webhooks/topics.ts';

/** One `[[events.subscription]]` of shopify.app.toml (Shopify, "Manage Events subscriptions"). */
export interface WantedEvents {
  /** Unique in the app; comes back in every delivery. */
  readonly handle: string;
  readonly topic: string;
  readonly actions: readonly ('create' | 'update' | 'delete')[];
  /** Paths of fields. Only an update needs one of them to have changed. */
  readonly triggers: readonly string[];
  readonly uri: string;
  /** Its result is the payload. */
  readonly query: string;
}

/** The settings that decide how changes of products arrive. */
export interface ProductSource {
  readonly productChanges: 'webhooks' | 'events';
  readonly productTriggers: readonly string[] | undefined;
}

export const BY_WEBHOOKS: ProductSource = {
  productChanges: 'webhooks',
  productTriggers: undefined,
};

/**
 * For the fields that the mapping of products uses. The price is that of the cheapest variant, and fields that
 * Shopify derives cannot be triggers: so all of a variant, which includes its addition and removal, but not its
 * inventory, which belongs to another topic.
 */
export const PRODUCT_TRIGGERS: readonly string[] = [
  'product.title',
  'product.handle',
  'product.status',
  'product.vendor',
  'product.productType',
  'product.category',
  'product.media.*',
  'product.variants.*',
];

/** See docs/decisions/0020-subscriptions-follow-from-the-code.md. */
export function wantedEvents(uri: string, source: ProductSource): readonly WantedEvents[] {
  if (source.productChanges === 'webhooks') return [];
  const events: WantedEvents = {
    handle: 'loyalty_products',
    topic: 'Product',
    actions: ['create', 'update', 'delete'],
    triggers: source.productTriggers ?? PRODUCT_TRIGGERS,
    uri,
    query: withoutFragments(productEventDocument.text),
  };
  return [events];
}

/** The webhook topics whose changes the Events announce. */
export function topicsOfEvents({ productChanges }: ProductSource): ReadonlySet<string> {
  if (productChanges === 'webhooks') return new Set();
  const ofProducts = [...topicRoutes].filter(([, { kind }]) => kind === 'product');
  return new Set(ofProducts.map(([topic]) => topic));
}

/** Whether the query of a subscription may have fragments is not documented. */
function withoutFragments(text: string): string {
  const [query = '', ...fragments] = text.split(/(?=fragment \w+ on \w+\{)/);
  return fragments.reduce((whole, fragment) => {
    const [, name = '', fields = ''] = /^fragment (\w+) on \w+\{(.*)\}$/.exec(fragment) ?? [];
    return whole.replaceAll(`...${name}`, () => fields);
  }, query);
}
