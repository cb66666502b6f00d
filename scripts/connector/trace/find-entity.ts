import type { Shop } from '../../../shared/config/connector-config.ts';
import type { EntityKind } from '../../../shared/core/events/event.ts';
import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import {
  customerByEmailDocument,
  findOrdersDocument,
} from '../../../shared/shopify/admin/documents.gen.ts';
import { idFromGid } from '../../../shared/shopify/entity-id.ts';
import type { Place } from '../deployment/deployment.ts';
import { type ShopServices, storeProblem } from '../deployment/services.ts';
import { BadArguments, Problem } from '../exit.ts';

export interface FoundOrder {
  readonly id: string;
  /** As the merchant and the customer know it: `#1007`. */
  readonly name: string;
}

export interface FoundEntity {
  readonly id: string;
  /** Of the same customer, or of a similar name; the newest first. */
  readonly otherOrders: readonly FoundOrder[];
}

interface Searched {
  readonly deployment: Place;
  readonly services: Pick<ShopServices, 'ask'>;
  readonly shop: Shop;
}

/** Shopify's ids have 13 digits; a number that a shop counts up has fewer. */
export const SHORTEST_ID = 12;

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

export const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

async function findCustomer(text: string, searched: Searched): Promise<FoundEntity> {
  const id = isAddress(text) ? await customerWith(text, searched) : text;
  if (id === undefined) throw new Problem('The store has no customer with this e-mail address.');
  if (!/^\d{1,30}$/.test(id)) {
    throw new BadArguments(`a customer is an id or an e-mail address, not "${text}".`);
  }
  return { id, otherOrders: await unlessRefused(search(`customer_id:${id}`, searched)) };
}

export async function customerWith(
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
export async function findOrders(text: string, searched: Searched): Promise<readonly FoundOrder[]> {
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
export const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

export function dataOf<Data>(answer: AdminAnswer<Data>, deployment: Place): Data {
  if (answer.kind === 'data') return answer.data;
  throw storeProblem(answer, deployment);
}
