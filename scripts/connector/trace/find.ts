import type { Shop } from '../../../shared/config/connector-config.ts';
import type { EntityKind } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import {
  customerByEmailDocument,
  findOrdersDocument,
  findProductsDocument,
  stillThereDocument,
} from '../../../shared/shopify/admin/documents.gen.ts';
import { idFromGid } from '../../../shared/shopify/entity-id.ts';
import type { Place } from '../deployment/deployment.ts';
import { type ShopServices, storeProblem } from '../deployment/services.ts';
import { BadArguments, Problem } from '../terminal/exit.ts';

/** What a text may mean. */
export interface Hit {
  readonly shop: string;
  readonly kind: 'order' | 'product' | 'coupon' | 'customer';
  readonly id: string;
  /** Of an order `#1007`, of a product its title. Of a customer nothing that says who it is. */
  readonly name: string | null;
}

/** One shop, and how to ask its store. */
interface Searched {
  readonly deployment: Place;
  readonly services: Pick<ShopServices, 'ask'>;
  readonly shop: Shop;
}

export interface SearchedDeps extends Omit<Searched, 'shop'> {
  readonly services: Searched['services'] & {
    readonly store: Pick<ShopServices['store'], 'readCoupon'>;
  };
  readonly ledger: Pick<Ledger, 'readMany'>;
}

type SearchedShop = SearchedDeps & Searched;

const GLOBAL_ID = /^gid:\/\/shopify\/(Order|Product|Customer)\/(\d+)$/;
const TYPES = { Order: 'order', Product: 'product', Customer: 'customer' } as const;

/**
 * All that the text may name: the number, name or id of an order, a product's id or title, a code, a customer's id
 * or e-mail address. A store that answers one question and refuses another, as without a scope, is a problem
 * beside the hits.
 */
export async function findAny(
  text: string,
  deps: SearchedDeps,
  shops: readonly Shop[],
): Promise<{ readonly hits: readonly Hit[]; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const questions = shops.flatMap((shop) => questionsFor(text, { ...deps, shop }));
  const answers = await Promise.all(
    questions.map((question) =>
      question.catch((error: unknown): readonly Hit[] => {
        if (!(error instanceof Problem)) throw error;
        problems.push(error);
        return [];
      }),
    ),
  );
  // What the store calls by a name stands before what the ledger knows by its id alone.
  const found = answers.flat().toSorted((a, b) => Number(!a.name) - Number(!b.name));
  const hits = [...Map.groupBy(found, keyOf).values()].flatMap(([first]) => first ?? []);
  if (hits.length > 0) return { hits, problems };
  const [problem] = problems;
  if (problem) throw problem;
  const what = isAddress(text) ? 'this e-mail address' : `"${text}"`;
  throw new Problem(
    `Neither the store nor the ledger knows an order, a product, a code or a customer by ${what}.`,
    'An order is found by its number, name or id, a product by its id or title, a customer by id or e-mail address.',
  );
}

const keyOf = ({ shop, kind, id }: Hit) => `${shop}|${kind}|${id}`;

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

export interface FoundOrder {
  readonly id: string;
  /** As the merchant and the customer know it: `#1007`. */
  readonly name: string;
}

interface FoundEntity {
  readonly id: string;
  /** Of the same customer, or of a similar name; the newest first. */
  readonly otherOrders: readonly FoundOrder[];
}

/** Shopify's ids have 13 digits; a number that a shop counts up has fewer. */
const SHORTEST_ID = 12;

const NAMES = { order: 'an order', product: 'a product', member: 'a customer' } as const;

export const KINDS: ReadonlySet<string> = new Set(['order', 'product', 'coupon', 'customer']);

export function parseKind(text: string): EntityKind {
  // For the operator it is a customer; in the ledger that name belongs to balances.
  if (text === 'customer') return 'member';
  const kind = (['order', 'product', 'coupon'] as const).find((one) => one === text);
  if (kind) return kind;
  throw new BadArguments(`give an order, a product, a coupon or a customer, not "${text}".`);
}

/**
 * Finds what a person typed: the id, the global id, the code, or what only the store knows: the number or
 * name of an order, and an e-mail address. An address is repeated in no message.
 */
export async function findEntity(
  kind: EntityKind,
  text: string,
  searched: Searched,
): Promise<FoundEntity> {
  if (kind === 'coupon') return alone(text);
  const id = text.replace(/^gid:\/\/shopify\/(?:Order|Product|Customer)\//, '');
  const isNumber = /^\d{1,30}$/.test(id);
  if (kind === 'member') return findCustomer(isNumber ? id : text, searched);
  if (kind === 'order' && (!isNumber || id.length < SHORTEST_ID)) {
    const [found, ...otherOrders] = await (isNumber
      ? unlessRefused(findOrders(id, searched))
      : findOrders(id, searched));
    if (found) return { id: found.id, otherOrders };
    if (!isNumber)
      throw new Problem(
        `The store has no order ${isAddress(text) ? 'with this e-mail address' : `named "${text}"`}.`,
      );
  }
  if (isNumber) return alone(id);
  throw new BadArguments(
    `the id of ${NAMES[kind]} is the number at the end of its address in the admin, not "${text}".`,
  );
}

/** A store that cannot be asked is reported with the rest of the trace, for which the number is enough. */
async function unlessRefused(
  orders: Promise<readonly FoundOrder[]>,
): Promise<readonly FoundOrder[]> {
  return orders.catch((error: unknown) => {
    if (error instanceof Problem) return [];
    throw error;
  });
}

const alone = (id: string): FoundEntity => ({ id, otherOrders: [] });

const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

async function findCustomer(text: string, searched: Searched): Promise<FoundEntity> {
  const id = isAddress(text) ? await customerWith(text, searched) : text;
  if (id === undefined) throw new Problem('The store has no customer with this e-mail address.');
  if (!/^\d{1,30}$/.test(id)) {
    throw new BadArguments(`a customer is an id or an e-mail address, not "${text}".`);
  }
  return { id, otherOrders: await unlessRefused(search(`customer_id:${id}`, searched)) };
}

async function customerWith(
  email: string,
  { deployment, services, shop }: Searched,
): Promise<string | undefined> {
  const { customerByIdentifier: found } = dataOf(
    await services.ask(shop)(customerByEmailDocument, { email }),
    deployment,
  );
  return found ? idFromGid(found.id, 'Customer') : undefined;
}

/** By e-mail address the newest; by name the order of exactly that name first. */
async function findOrders(text: string, searched: Searched): Promise<readonly FoundOrder[]> {
  if (isAddress(text)) return search(`email:${quoted(text)}`, searched);
  const found = await search(`name:${quoted(text)}`, searched);
  const plain = (name: string) => name.replace(/^#/, '').toLowerCase();
  const isExact = ({ name }: FoundOrder) => plain(name) === plain(text);
  // A shop may count with a prefix: EN1007 is the order of number 1007.
  const isNumbered = ({ name }: FoundOrder) => name.replaceAll(/\D/g, '') === text;
  return [...found.filter(isExact), ...found.filter((one) => !isExact(one) && isNumbered(one))];
}

async function search(
  term: string,
  { deployment, services, shop }: Searched,
): Promise<readonly FoundOrder[]> {
  const { orders } = dataOf(
    await services.ask(shop)(findOrdersDocument, { search: term }),
    deployment,
  );
  return orders.nodes.map(({ id, name }) => ({ id: idFromGid(id, 'Order') ?? '', name }));
}

/** Quotes are documented for values with spaces or colons; a backslash escapes (Shopify, "Search syntax"). */
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

function dataOf<Data>(answer: AdminAnswer<Data>, deployment: Place): Data {
  if (answer.kind === 'data') return answer.data;
  throw storeProblem(answer, deployment);
}
