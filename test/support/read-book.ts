import { Tables } from '../../local/sandbox-kit/tables.ts';
import { openSubscriptions } from '../../local/store-sandbox/delivery/subscriptions.ts';
import { AdminApi } from '../../local/store-sandbox/graphql/admin-api.ts';
import type { SaleRow } from '../../local/store-sandbox/model/rows.ts';
import type { World } from '../../local/store-sandbox/model/world.ts';
import { defaultServerSettings } from '../../local/store-sandbox/settings.ts';

interface Bag {
  readonly shopMoney: { readonly amount: string };
  readonly presentmentMoney: { readonly amount: string };
}

interface BookedSale {
  readonly __typename: string;
  readonly id: string;
  readonly lineType: SaleRow['lineType'] | 'UNKNOWN';
  readonly actionType: SaleRow['actionType'] | 'UNKNOWN';
  readonly quantity: number | null;
  readonly totalAmount: Bag;
  readonly totalTaxAmount: Bag;
  readonly lineItem?: { readonly id: string };
  readonly shippingLine?: { readonly id: string };
}

export interface BookedAgreement {
  readonly id: string;
  readonly happenedAt: string;
  readonly reason: string;
  readonly sales: { readonly nodes: readonly BookedSale[] };
}

interface Page {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

/** Everything that a reader of the book needs. */
export const bookDocument = `
  query Book($id: ID!, $agreements: Int!, $afterAgreement: String, $sales: Int!, $afterSale: String) {
    order(id: $id) {
      agreements(first: $agreements, after: $afterAgreement) {
        nodes {
          id
          happenedAt
          reason
          sales(first: $sales, after: $afterSale) {
            nodes {
              __typename
              id
              lineType
              actionType
              quantity
              totalAmount { ...Both }
              totalTaxAmount { ...Both }
              ... on ProductSale { lineItem { id } }
              ... on GiftCardSale { lineItem { id } }
              ... on TipSale { lineItem { id } }
              ... on ShippingLineSale { shippingLine { id } }
            }
            pageInfo { hasNextPage endCursor }
          }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
  fragment Both on MoneyBag { shopMoney { amount } presentmentMoney { amount } }`;

/** The sandbox's Admin API of this store, without a server. */
export function openAdminApi(world: World, settings: Partial<typeof defaultServerSettings> = {}) {
  return new AdminApi({
    world,
    subscriptions: openSubscriptions(new Tables()),
    settings: { ...defaultServerSettings, bucketSize: 1e9, ...settings },
    perform: () => ({ kind: 'refused', why: '' }),
    save: () => {},
  });
}

export function askAdminApi(api: AdminApi, query: string, variables: Record<string, unknown>) {
  const prepared = api.prepare({ query, variables });
  if (prepared.kind === 'invalid') throw new Error(JSON.stringify(prepared.errors));
  return api.answer(prepared.request);
}

/** The whole book, with an agreement of more sales than fit on a page read on. */
export function readBook(api: AdminApi, orderId: string, pageSize: number): BookedAgreement[] {
  const id = `gid://shopify/Order/${orderId}`;
  const ask = (variables: Record<string, unknown>) => {
    const { data, errors } = askAdminApi(api, bookDocument, { id, sales: pageSize, ...variables });
    if (errors) throw new Error(JSON.stringify(errors));
    type Sales = BookedAgreement['sales'] & { readonly pageInfo: Page };
    type Agreement = Omit<BookedAgreement, 'sales'> & { readonly sales: Sales };
    const { order } = data as {
      order: { agreements: { nodes: Agreement[]; pageInfo: Page } };
    };
    return order.agreements;
  };
  const book: BookedAgreement[] = [];
  let afterAgreement: string | null = null;
  for (let isMore = true; isMore; ) {
    const page = ask({ agreements: 1, afterAgreement });
    for (const agreement of page.nodes) {
      const nodes = [...agreement.sales.nodes];
      let { pageInfo } = agreement.sales;
      while (pageInfo.hasNextPage) {
        const rest = ask({ agreements: 1, afterAgreement, afterSale: pageInfo.endCursor });
        nodes.push(...(rest.nodes[0]?.sales.nodes ?? []));
        pageInfo = rest.nodes[0]?.sales.pageInfo ?? { hasNextPage: false, endCursor: null };
      }
      book.push({ ...agreement, sales: { nodes } });
    }
    afterAgreement = page.pageInfo.endCursor;
    isMore = page.pageInfo.hasNextPage;
  }
  return book;
}
