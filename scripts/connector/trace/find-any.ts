import type { Shop } from '../../../shared/config/connector-config.ts';
import type { EntityKind } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import {
  findProductsDocument,
  stillThereDocument,
} from '../../../shared/shopify/admin/documents.gen.ts';
import { idFromGid } from '../../../shared/shopify/entity-id.ts';
import type { Place } from '../deployment/deployment.ts';
import type { ShopServices } from '../deployment/services.ts';
import { Problem } from '../exit.ts';
import { customerWith, dataOf, findOrders, isAddress, quoted, SHORTEST_ID } from './find-entity.ts';

/** What a text may mean. */
export interface Hit {
  readonly shop: string;
  readonly kind: 'order' | 'product' | 'coupon' | 'customer';
  readonly id: string;
  /** Of an order `#1007`, of a product its title. Of a customer nothing that says who it is. */
  readonly name: string | null;
}

export interface SearchedWorld {
  readonly deployment: Place;
  readonly services: Pick<ShopServices, 'ask'> & {
    readonly store: Pick<ShopServices['store'], 'readCoupon'>;
  };
  readonly ledger: Pick<Ledger, 'readMany'>;
}

type SearchedShop = SearchedWorld & { readonly shop: Shop };

const GLOBAL_ID = /^gid:\/\/shopify\/(Order|Product|Customer)\/(\d+)$/;
const TYPES = { Order: 'order', Product: 'product', Customer: 'customer' } as const;

/**
 * All that the text may name: the number, name or id of an order, a product's id or title, a code, a customer's id
 * or e-mail address. A store that answers one question and refuses another, as without a scope, is a problem
 * beside the hits.
 */
export async function findAny(
  text: string,
  world: SearchedWorld,
  shops: readonly Shop[],
): Promise<{ readonly hits: readonly Hit[]; readonly problems: readonly Problem[] }> {
  const found = await Promise.all(shops.map((shop) => findInShop(text, { ...world, shop })));
  const problems = found.flatMap((one) => one.problems);
  const hits = new Map<string, Hit>();
  for (const hit of found.flatMap((one) => one.hits)) {
    hits.set(keyOf(hit), hits.get(keyOf(hit)) ?? hit);
  }
  if (hits.size > 0) return { hits: [...hits.values()], problems };
  const [problem] = problems;
  if (problem) throw problem;
  const what = isAddress(text) ? 'this e-mail address' : `"${text}"`;
  throw new Problem(
    `Neither the store nor the ledger knows an order, a product, a code or a customer by ${what}.`,
    'An order is found by its number, name or id, a product by its id or title, a customer by id or e-mail address.',
  );
}

const keyOf = ({ shop, kind, id }: Hit) => `${shop}|${kind}|${id}`;

async function findInShop(
  text: string,
  searched: SearchedShop,
): Promise<{ readonly hits: readonly Hit[]; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const answers = await Promise.all(
    questionsFor(text, searched).map((question) =>
      question.catch((error: unknown): readonly Hit[] => {
        if (!(error instanceof Problem)) throw error;
        problems.push(error);
        return [];
      }),
    ),
  );
  // What the store calls by a name stands before what the ledger knows by its id alone.
  return { hits: answers.flat().toSorted((a, b) => Number(!a.name) - Number(!b.name)), problems };
}

function questionsFor(text: string, searched: SearchedShop): readonly Promise<readonly Hit[]>[] {
  if (isAddress(text)) return [byAddress(text, searched)];
  const [, type, id] = GLOBAL_ID.exec(text) ?? [];
  if (type && id) return [byId(id, searched, [type as keyof typeof TYPES])];
  const isNumber = /^\d{1,30}$/.test(text);
  const isId = isNumber && text.length >= SHORTEST_ID;
  return [
    inLedger(text, searched),
    byCode(text, searched),
    isId ? byId(text, searched) : ordersNamed(text, searched),
    ...(isNumber ? [] : [productsTitled(text, searched)]),
  ];
}

/** The customer; of an address that is no customer's, the orders of a guest. */
async function byAddress(email: string, searched: SearchedShop): Promise<readonly Hit[]> {
  const { shop } = searched;
  const id = await customerWith(email, searched);
  if (id) return [{ shop: shop.domain, kind: 'customer', id, name: null }];
  return ordersNamed(email, searched);
}

async function ordersNamed(text: string, searched: SearchedShop): Promise<readonly Hit[]> {
  const orders = await findOrders(text, searched);
  return orders.map((order) => ({ shop: searched.shop.domain, kind: 'order', ...order }));
}

async function productsTitled(
  title: string,
  { deployment, services, shop }: SearchedShop,
): Promise<readonly Hit[]> {
  const search = `title:${quoted(title)}`;
  const answer = await services.ask(shop)(findProductsDocument, { search });
  return dataOf(answer, deployment).products.nodes.map((product) => ({
    ...{ shop: shop.domain, kind: 'product', name: product.title },
    id: idFromGid(product.id, 'Product') ?? '',
  }));
}

/** The store finds a code in any case; its own spelling is the id. */
async function byCode(code: string, { services, shop }: SearchedShop): Promise<readonly Hit[]> {
  const answer = await services.store.readCoupon(shop.domain, code);
  if (answer.kind === 'found') {
    const id = answer.value.code;
    return [{ shop: shop.domain, kind: 'coupon', id, name: id }];
  }
  if (answer.kind === 'gone') return [];
  throw new Problem(`The store could not be read (${answer.why}).`);
}

async function byId(
  id: string,
  { deployment, services, shop }: SearchedShop,
  types = Object.keys(TYPES) as readonly (keyof typeof TYPES)[],
): Promise<readonly Hit[]> {
  const ids = types.map((type) => `gid://shopify/${type}/${id}`);
  const { nodes } = dataOf(await services.ask(shop)(stillThereDocument, { ids }), deployment);
  return types
    .filter((_, index) => nodes[index])
    .map((type) => ({ shop: shop.domain, kind: TYPES[type], id, name: null }));
}

/** Also what the store has deleted since, and while the store does not answer. */
async function inLedger(id: string, { ledger, shop }: SearchedShop): Promise<readonly Hit[]> {
  const kinds = ['order', 'product', 'coupon', 'member'] as const satisfies readonly EntityKind[];
  const keys = kinds.map((kind) => ({ shop: shop.domain, kind, id }));
  const entries = await ledger.readMany(keys);
  return keys
    .filter((key) => entries.has(ledgerKeyText(key)))
    .map(({ kind, ...key }) => ({
      ...key,
      kind: kind === 'member' ? 'customer' : kind,
      name: kind === 'coupon' ? id : null,
    }));
}
