import { closestTo } from '../../../../shared/config/closest.ts';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { EntityKind } from '../../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import type { SearchedBy } from '../../../../shared/core/platform/platform.ts';
import { commandsOf, type ShopServices, storeUnread } from '../session/services.ts';
import { BadArguments, Problem } from '../terminal/exit.ts';

export interface Hit {
  readonly shop: string;
  readonly kind: 'order' | 'product' | 'coupon' | 'customer';
  readonly id: string;
  /** Of an order `#1007`, of a product its title. Of a customer nothing that says who it is. */
  readonly name: string | null;
}

interface Searched {
  readonly services: Pick<ShopServices, 'asked'>;
  readonly shop: Shop;
}

export interface SearchedDeps {
  readonly services: Searched['services'] & {
    readonly store: Pick<ShopServices['store'], 'readCoupon'>;
  };
  readonly ledger: Pick<Ledger, 'readMany'>;
}

type SearchedShop = SearchedDeps & Searched;

type Hits = Promise<readonly Hit[]>;

/** A number that a shop counts up has fewer digits. */
const LONG_ID = 12;

const isNumber = (text: string) => /^\d{1,30}$/.test(text);

/** A platform may use them as ids. */
const isUuid = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

const withoutPrefix = (text: string) =>
  text.replace(/^gid:\/\/\w+\/(?:Order|Product|Customer)\//, '');

export const KINDS: ReadonlySet<string> = new Set(['order', 'product', 'coupon', 'customer']);

export function parseKind(text: string): EntityKind {
  // For the operator it is a customer; in the ledger that name belongs to balances.
  if (text === 'customer') return 'member';
  const kind = (['order', 'product', 'coupon'] as const).find((one) => one === text);
  if (kind) return kind;
  const meant = closestTo(text, [...KINDS]);
  const hint = meant ? ` Did you mean ${meant}?` : '';
  throw new BadArguments(`there is no kind "${text}": order, product, coupon or customer.${hint}`);
}

/**
 * All that the text may name: the number, name or id of an order, a product's id or title, a code, a customer's id
 * or e-mail address. A store that answers one question and refuses another, as without a scope, is a problem
 * beside the hits. An e-mail address is repeated in no message.
 */
export async function findAny(
  text: string,
  deps: SearchedDeps,
  shops: readonly Shop[],
): Promise<{ readonly hits: readonly Hit[]; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const questions = shops.flatMap((shop) => questionsFor(withoutPrefix(text), { ...deps, shop }));
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
  const keyOf = ({ shop, kind, id }: Hit) => `${shop}|${kind}|${id}`;
  const hits = [...Map.groupBy(found, keyOf).values()].flatMap(([first]) => first ?? []);
  if (hits.length > 0) return { hits, problems };
  const [problem] = problems;
  if (problem) throw problem;
  throw unknownTo('order, product, coupon or customer', text, shops);
}

export const unknownTo = (what: string, text: string, shops: readonly Pick<Shop, 'domain'>[]) =>
  new Problem(
    `There is no ${what} ${withText(text)} in ${shops.map(({ domain }) => domain).join(', ')}.`,
    Object.entries(FOUND_BY)
      .flatMap(([kind, how]) => (what.includes(kind) ? [how] : []))
      .join(' '),
  );

const withText = (text: string) => (isAddress(text) ? 'with this e-mail address' : `"${text}"`);

const FOUND_BY = {
  order: 'An order is found by its number (1001), name (#1001), id or e-mail address.',
  product: 'A product is found by its id or title.',
  coupon: 'A coupon is found by its code.',
  customer: 'A customer is found by id or e-mail address.',
};

function questionsFor(text: string, searched: SearchedShop): readonly Hits[] {
  // The customer; of an address that is no customer's, the orders of a guest.
  if (isAddress(text)) {
    const customers = customerWith(text, searched);
    return [customers.then((found) => (found[0] ? found : search('ordersNamed', text, searched)))];
  }
  const isNamed = text.length < LONG_ID || !isNumber(text);
  const { shortestId } = commandsOf(searched.shop);
  const isId = isUuid(text) || (isNumber(text) && text.length >= shortestId);
  return [
    inLedger(text, searched),
    byCode(text, searched),
    ...(isId ? [search('byId', text, searched)] : []),
    ...(isNamed ? [search('ordersNamed', text, searched)] : []),
    ...(isNumber(text) ? [] : [search('productsTitled', text, searched)]),
  ];
}

/** Never nothing: what was typed, if it is an id or a code, or what the store finds, the best first. */
export async function findEntity(
  kind: EntityKind,
  text: string,
  searched: Searched,
): Promise<readonly [Hit, ...Hit[]]> {
  const id = withoutPrefix(text);
  const named = kind === 'member' ? 'customer' : kind;
  const known: Hit = { shop: searched.shop.domain, kind: named, id, name: null };
  const isId = isUuid(id) || (isNumber(id) && (kind !== 'order' || id.length >= LONG_ID));
  if (kind === 'coupon' || isId) return [known];
  const by = kind === 'order' ? 'ordersNamed' : 'productsTitled';
  const asked = kind === 'member' ? customerWith(id, searched) : search(by, id, searched);
  // A store that cannot be asked is reported with the rest, for which a number is enough.
  const found = await (isNumber(id) ? unlessRefused(asked) : asked);
  const [first = isNumber(id) ? known : undefined, ...others] = found;
  if (first) return [first, ...others];
  throw unknownTo(named, text, [searched.shop]);
}

async function unlessRefused(hits: Hits): Hits {
  return hits.catch((error: unknown) => {
    if (error instanceof Problem) return [];
    throw error;
  });
}

/** The newest first; none where the store cannot be asked. */
export const ordersOf = (customerId: string, searched: Searched): Hits =>
  unlessRefused(search('ordersOf', customerId, searched));

export const customerWith = async (email: string, searched: Searched): Hits =>
  isAddress(email) ? search('customerWith', email, searched) : [];

async function search(by: SearchedBy, text: string, { services, shop }: Searched): Hits {
  const answer = await services.asked(shop)[by](text);
  if (answer.kind !== 'found') throw storeUnread(answer);
  return answer.value.map((one) => ({ shop: shop.domain, ...one }));
}

/** The store finds a code in any case; its own spelling is the id. */
async function byCode(code: string, { services, shop }: SearchedShop): Hits {
  const answer = await services.store.readCoupon(shop.domain, code);
  if (answer.kind === 'gone') return [];
  if (answer.kind !== 'found') throw storeUnread(answer);
  const id = answer.value.code;
  return [{ shop: shop.domain, kind: 'coupon', id, name: id }];
}

/** Also what the store has deleted since, and while the store does not answer. */
async function inLedger(id: string, { ledger, shop }: SearchedShop): Hits {
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

export async function* changedOrders(
  store: Pick<ShopServices['store'], 'changedOrders'>,
  shop: string,
  since: number,
  signal: AbortSignal,
) {
  const span = { from: since, until: Date.now() };
  let after: string | undefined;
  do {
    const page = await store.changedOrders(shop, span, after);
    if (page.kind === 'unavailable') throw storeUnread(page);
    yield page.value.changed;
    after = page.value.next;
  } while (after !== undefined && !signal.aborted);
}
