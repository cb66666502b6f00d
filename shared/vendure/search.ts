import type { ScanAnswer } from '../core/store/store.ts';
import type { VendureClient } from './admin-client.ts';
import { documents, PLACED, type VendureNames, WITH_CODE } from './documents.ts';

/** What a person may mean. Of a customer nothing that says who it is. */
export interface FoundByName {
  readonly kind: 'order' | 'product' | 'customer';
  readonly id: string;
  readonly name: string | null;
}

interface Counted {
  readonly kind: 'orders' | 'products' | 'discounts';
  readonly since?: string;
  readonly until?: string;
}

type Found = Promise<ScanAnswer<readonly FoundByName[]>>;

/** As many as a person looks at, the newest first. */
const SHOWN = { take: 10, sort: { id: 'DESC' } };

/** Finds by what a person knows: a code, a name, an e-mail address, an id. */
export function createVendureSearch(client: VendureClient) {
  type Answer = Readonly<Record<string, VendureNames | null>>;

  async function list(kind: FoundByName['kind'], query: string, filter: object): Found {
    const answer = await client.ask<Answer>(query, { options: { ...SHOWN, filter } });
    return answer.kind === 'data' ? found(kind, Object.values(answer.data)[0]) : answer;
  }

  return {
    ordersNamed: (code: string) => list('order', documents.orderNames, { code: { eq: code } }),
    productsTitled: (name: string) =>
      list('product', documents.productNames, { name: { contains: name } }),
    /** The server keeps addresses in lower case. */
    customerWith: (email: string) =>
      list('customer', documents.customerIds, { emailAddress: { eq: email.toLowerCase() } }),

    async ordersOf(id: string): Found {
      const variables = { id, options: SHOWN };
      const answer = await client.ask<{
        readonly customer: { readonly orders: VendureNames } | null;
      }>(documents.ordersOfCustomer, variables);
      return answer.kind === 'data' ? found('order', answer.data.customer?.orders) : answer;
    },

    /** An estimate: orders of other channels are counted with those of the default channel. */
    async count({ kind, since, until }: Counted): Promise<ScanAnswer<number>> {
      const start = since ?? new Date(0).toISOString();
      const placed = { between: { start, end: until ?? new Date().toISOString() } };
      const { query, filter } = {
        orders: { query: documents.orderIds, filter: { ...PLACED, orderPlacedAt: placed } },
        products: { query: documents.productIds, filter: {} },
        discounts: { query: documents.promotionIds, filter: WITH_CODE },
      }[kind];
      const answer = await client.ask<Answer>(query, { options: { take: 1, filter } });
      if (answer.kind !== 'data') return answer;
      return { kind: 'found', value: Object.values(answer.data)[0]?.totalItems ?? 0 };
    },

    async byId(id: string): Found {
      const filter = { id: { eq: id } };
      const all = await Promise.all([
        list('order', documents.orderNames, filter),
        list('product', documents.productNames, filter),
        list('customer', documents.customerIds, filter),
      ]);
      const refused = all.find((one) => one.kind === 'unavailable');
      const value = all.flatMap((one) => (one.kind === 'found' ? one.value : []));
      return refused ?? { kind: 'found', value };
    },
  };
}

function found(kind: FoundByName['kind'], names: VendureNames | null | undefined) {
  const items = names?.items ?? [];
  const value = items.map(({ id, code, name = code ?? null }) => ({ kind, id, name }));
  return { kind: 'found', value } as const;
}
