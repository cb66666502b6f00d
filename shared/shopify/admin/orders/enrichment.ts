import { LOCALIZED_FIELDS } from '../../../store/order.ts';

/** What is read of an order beyond its webhook. Each costs an access scope, points or both. */
export interface Enrichment {
  /** Brand and type of the card, from the order's transactions. */
  readonly card?: boolean | undefined;
  /** The retail location by name. Needs `read_locations`. */
  readonly locationNames?: boolean | undefined;
  /** The staff member by name. Needs `read_users`, which Shopify gives to some plans only. */
  readonly staffNames?: boolean | undefined;
  /** What a country asks of its buyers at checkout: a Brazilian tax id, for one. */
  readonly localizedFields?: boolean | undefined;
  readonly metafields?: readonly MetafieldName[] | undefined;
}

export interface MetafieldName {
  readonly owner: 'order' | 'customer';
  readonly namespace: string;
  readonly key: string;
}

/** As many as the document's page holds. */
const MOST_METAFIELDS = 10;

/** What the documents that can read all of it want to be told. */
export function extrasVariables(enrichment: Enrichment) {
  const orderMetafields = metafieldKeys(enrichment, 'order');
  const customerMetafields = metafieldKeys(enrichment, 'customer');
  return {
    withCard: enrichment.card ?? false,
    withLocation: enrichment.locationNames ?? false,
    withStaff: enrichment.staffNames ?? false,
    withLocalizedFields: enrichment.localizedFields ?? false,
    withOrderMetafields: orderMetafields.length > 0,
    orderMetafields,
    withCustomerMetafields: customerMetafields.length > 0,
    customerMetafields,
  };
}

/** `namespace.key` of each metafield of one owner, as the store wants to be asked. */
export function metafieldKeys(
  { metafields = [] }: Enrichment,
  owner: MetafieldName['owner'],
): string[] {
  const keys = metafields
    .filter((name) => name.owner === owner && name.namespace !== LOCALIZED_FIELDS)
    .map(({ namespace, key }) => `${namespace}.${key}`);
  const distinct = [...new Set(keys)];
  if (distinct.length <= MOST_METAFIELDS) return distinct;
  throw new Error(`at most ${MOST_METAFIELDS} metafields of an ${owner} can be read`);
}
