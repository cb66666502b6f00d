import { seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import { orderPayload } from '../../local/store-sandbox/payloads/order-payload.ts';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';

interface OrderWish {
  readonly id: number;
  readonly updatedAt: Date;
  readonly lines: number;
  /** Pads the body to this size, with unread fields and a note. Absent: no padding. */
  readonly bytes?: number;
  /** The amount for the products: another amount is another state of the order. */
  readonly subtotal?: string;
}

/** Bodies of orders/* as the store sandbox writes them. */
export type WriteOrder = (wish: OrderWish) => string;

/** 8 KiB is an order with one line and many fields, 64 KiB one with fifty lines. */
export const SIZES = {
  '8k': { lines: 1, bytes: 8 * 1024 },
  '64k': { lines: 50, bytes: 64 * 1024 },
} as const;

export async function createOrderWriter(): Promise<WriteOrder> {
  const store = await startStoreSandbox({ seed: 1 });
  const customer = [...store.rows.customers.values()][0];
  const variants = [...store.rows.products.values()].flatMap((product) => product.variants);
  const payloads = new Map<number, Readonly<Record<string, unknown>>>();
  await store.stop();

  function payloadWith(lines: number): Readonly<Record<string, unknown>> {
    const known = payloads.get(lines);
    if (known) return known;
    const { id } = store.actions.placeOrder({
      lines: Array.from({ length: lines }, (_, index) => ({
        variantId: variants[index % variants.length]?.id ?? '',
        quantity: 1 + (index % 3),
      })),
      customerId: customer?.id ?? null,
      shipping: [{ price: '5' }],
      payment: 'paid',
    });
    // Only completed orders are sent.
    const order = store.actions.fulfilOrder({ orderId: id });
    const { shop, rows } = store;
    const payload = orderPayload(
      { shop, rows, now: () => new Date(), random: Math.random, ids: undefined as never },
      order,
    );
    payloads.set(lines, payload);
    return payload;
  }

  return ({ id, updatedAt, lines, bytes, subtotal }) => {
    const at = updatedAt.toISOString().replace(/\.\d{3}Z/, 'Z');
    const { customer, ...rest } = payloadWith(lines);
    const payload = {
      ...rest,
      // Each order has its own: what is read of customers is then not shared.
      customer: {
        ...(customer as object),
        id,
        admin_graphql_api_id: `gid://shopify/Customer/${id}`,
      },
      id,
      admin_graphql_api_id: `gid://shopify/Order/${id}`,
      updated_at: at,
      ...(subtotal !== undefined && { current_subtotal_price: subtotal }),
    };
    const bare = JSON.stringify({ ...payload, unread: [], note: '' });
    const room = Math.max((bytes ?? 0) - Buffer.byteLength(bare), 0);
    const unread = Math.floor(Math.max(room - NOTE_BYTES, 0) / UNREAD_BYTES);
    const note = wordsOf(room - unread * UNREAD_BYTES);
    return JSON.stringify({ ...payload, unread: new Array(unread).fill(UNREAD), note });
  };
}

/** What the bodies of a store have most of, beside what is read: the same amount in two currencies. */
const MONEY = { amount: '49.00', currency_code: 'EUR' };
const UNREAD = { shop_money: MONEY, presentment_money: MONEY };
/** With the comma behind it. */
const UNREAD_BYTES = JSON.stringify(UNREAD).length + 1;
const NOTE_BYTES = 2 * 1024;

const WORDS =
  'please leave the parcel with our neighbour on second floor if nobody opens ring twice then wait and call before coming thanks gift wrap in blue paper no receipt inside happy birthday from all of us big hug see you soon'.split(
    ' ',
  );
const random = seededRandom(8);
let written = '';

/** Words in random order, so that it compresses like a real note. */
function wordsOf(length: number): string {
  while (written.length < length) written += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return written.slice(0, length);
}
