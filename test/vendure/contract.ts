import { isDeepStrictEqual } from 'node:util';
import { VendureShop } from '../../local/vendure-engine/shop.ts';
import type { PlacedOrder } from '../../local/vendure-engine/shopkeeper.ts';
import { defaultRules } from '../../shared/config/mapping-settings.ts';
import { orderAmounts } from '../../shared/core/mapping/order-amounts.ts';
import type { ScanAnswer, ScanPage } from '../../shared/core/store/store.ts';
import { loadMutated } from '../simulation/mutations/apply-mutation.ts';
import type { PlantedBug } from '../simulation/mutations/mutation.ts';
import { openMerchant } from './merchant.ts';

/**
 * A process that asks a Vendure server through the connector's store. Its arguments are the server's port and the part:
 * `examples`, `pages` when there are many orders, or `planted` for the examples with a bug in the reader. The bug must
 * be there before the reader is loaded, so it is not imported above.
 */
const [port = '', part = ''] = process.argv.slice(2);

const BUG: PlantedBug = {
  bug: 'a refund of shipping counts as one of goods',
  find: 'smallest([shipping, money(named)])',
  replace: 'ZERO',
};
if (part === 'planted') loadMutated(BUG);
const { createVendureStore } = await import('../../shared/vendure/vendure-store.ts');

const DOMAIN = 'vendure.example.com';
const credentials = {
  kind: 'login',
  username: 'superadmin',
  password: 'superadmin',
} as const;
const store = createVendureStore({
  shop: () => ({
    address: `http://127.0.0.1:${port}/admin-api`,
    channel: undefined,
    secret: { get: async () => credentials, refresh: async () => credentials },
    timeoutMs: 120_000,
    currency: 'EUR',
    precision: 2,
    changeDays: 60,
  }),
});
const shop = new VendureShop(Number(port));
const merchant = openMerchant(shop);
let [checks, faults] = [0, 0];

if (part === 'pages') await pages();
else await workedExample();
if (part === 'examples') {
  await modifications();
  await deletions();
  await otherCurrency();
}
console.log(`${checks} checks, ${faults} faults`);
process.exitCode = faults > 0 ? 1 : 0;

function check(what: string, found: unknown, wanted: unknown): void {
  checks += 1;
  if (isDeepStrictEqual(found, wanted)) return;
  faults += 1;
  console.log(`FAULT ${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** What it counts without taxes. */
async function countOf(id: string): Promise<string> {
  const answer = await store.readOrder(DOMAIN, id);
  if (answer.kind !== 'found') return answer.kind;
  return orderAmounts(answer.value, defaultRules).total;
}

function lineOf({ lines }: PlacedOrder, sku: string, quantity: number) {
  const line = lines.find((one) => one.sku === sku);
  return { orderLineId: line?.id ?? '', quantity };
}

/** Two kinds of tax, two coupons, five refunds; the figures are computed by hand. */
async function workedExample(): Promise<void> {
  await merchant.setUp();
  await merchant.addProduct('Shirt', { 'SHIRT-S': 1999, 'SHIRT-M': 2199 });
  await merchant.addProduct('Mug', { MUG: 999 });
  await merchant.addProduct('Book', { BOOK: 1500 }, 'Reduced');
  const coupons = ['TEN', 'FIVE'].map((code) => `${code}-${part}`);
  const [ten = '', five = ''] = coupons;
  await merchant.addPromotion(ten, { percent: 10 });
  await merchant.addPromotion(five, { cents: 500 });
  const visitor = await merchant.register(person('robin'));
  const goods = { 'SHIRT-S': 2, MUG: 1, BOOK: 1 };
  const order = await merchant.buy(visitor, { goods, coupons });
  const answer = await store.readOrder(DOMAIN, order.id);
  if (answer.kind !== 'found') throw new Error(`the order is ${answer.kind}`);
  const { subtotal, total, shipping, couponCodes, paymentStatus, lines, customer } = answer.value;
  check('its sums', [subtotal, total, shipping.price], ['53.47', '58.47', '5']);
  check(
    'its lines',
    lines.map(({ paid }) => paid),
    ['32.9', '8.22', '12.35'],
  );
  check('its coupons', couponCodes, coupons);
  check('its payment', paymentStatus, 'paid');
  check('its customer', customer?.email, person('robin').emailAddress);
  check('before refunds', await countOf(order.id), '46.1');
  // Without taxes: two shirts 27.65, the mug 6.91 and the book 11.54. One shirt is 13.82.
  await merchant.refund(order.id, { lines: [lineOf(order, 'SHIRT-S', 1)] });
  check('a piece refunded', await countOf(order.id), '32.28');
  const mug = [lineOf(order, 'MUG', 1)];
  await merchant.refund(order.id, { lines: mug, shipping: 500, adjustment: -100 });
  // 7.22 of the mug's 8.22, so 0.84 is left of it.
  check('a line and its shipping', await countOf(order.id), '26.21');
  await merchant.refund(order.id, { amount: 250 });
  // 27.30 of 29.80 is left.
  check('an amount', await countOf(order.id), '24.01');
  await merchant.refund(order.id, { lines: mug });
  // The rest of the mug, and 7.22 of what else is left: 19.08 of the shirt and book, 28.80 with and 25.37 without taxes.
  check('a line that was refunded before', await countOf(order.id), '16.81');
  const rest = await merchant.refund(order.id, { amount: 1908 });
  check('a refund has an id', rest !== '', true);
  const returned = await store.readOrder(DOMAIN, order.id);
  check('all of it', returned.kind === 'found' && returned.value.paymentStatus, 'refunded');
}

async function modifications(): Promise<void> {
  const visitor = await merchant.register(person('sam'));
  const order = await merchant.buy(visitor, { goods: { 'SHIRT-S': 2, MUG: 1 }, pay: 'invoice' });
  const status = async () => {
    const answer = await store.readOrder(DOMAIN, order.id);
    return answer.kind === 'found' ? answer.value.paymentStatus : answer.kind;
  };
  check('an invoice', await status(), 'authorized');
  await merchant.settle(order.id);
  check('an invoice that was paid', await status(), 'paid');
  check('two shirts and a mug', await countOf(order.id), '41.99');
  const none = { ...lineOf(order, 'MUG', 1), quantity: 0 };
  await merchant.modify(order.id, { adjustOrderLines: [none] }, 'refund');
  check('a mug taken out with its money', await countOf(order.id), '33.6');
  const wrapping = { description: 'wrapping', price: 238, priceIncludesTax: true, taxRate: 19 };
  await merchant.settleRefund(await merchant.refund(order.id, { amount: 1999 }));
  check('a shirt refunded before it is cancelled', await countOf(order.id), '16.8');
  await merchant.cancel(order.id, [lineOf(order, 'SHIRT-S', 1)]);
  check('and after', await countOf(order.id), '16.8');
  await merchant.cancel(order.id);
  const over = await store.readOrder(DOMAIN, order.id);
  check('the rest cancelled', over.kind === 'found' && over.value.cancelledAt !== undefined, true);
  const second = await merchant.buy(visitor, { goods: { MUG: 1 }, pay: 'transfer' });
  await merchant.modify(second.id, { surcharges: [wrapping] }, 'pay');
  check('a surcharge that was paid', await countOf(second.id), '10.39');
  const pending = await merchant.refund(second.id, { amount: 999 });
  check('a refund that is pending', await countOf(second.id), '10.39');
  await merchant.settleRefund(pending);
  check('and settled', await countOf(second.id), '2');
}

async function deletions(): Promise<void> {
  const product = await merchant.addProduct('Vase', { VASE: 2999 });
  const promotion = await merchant.addPromotion('GONE', { percent: 1 });
  const visitor = await merchant.register(person('tom'));
  const order = await merchant.buy(visitor, { goods: { VASE: 1 } });
  const customer = await merchant.customerId(person('tom').emailAddress);
  const kinds = async () =>
    Promise.all(
      [
        store.readProduct(DOMAIN, product),
        store.readCoupon(DOMAIN, 'GONE'),
        store.readDiscount(DOMAIN, promotion),
        store.readMember(DOMAIN, customer),
        store.readOrder(DOMAIN, order.id),
      ].map(async (answer) => (await answer).kind),
    );
  check('what is there', await kinds(), Array(5).fill('found'));
  await merchant.deleteProduct(product);
  await merchant.deletePromotion(promotion);
  await merchant.deleteCustomer(customer);
  check('what was deleted', await kinds(), ['gone', 'gone', 'gone', 'gone', 'found']);
  check('the order of a deleted product', await countOf(order.id), '25.2');
  const absent = async (kind: 'order' | 'product' | 'discount', ids: readonly string[]) => {
    const answer = await store.findAbsent(DOMAIN, kind, ids);
    return answer.kind === 'found' ? [...answer.value] : answer;
  };
  check('absent products', await absent('product', ['1', product, '987654']), [product, '987654']);
  check('absent promotions', await absent('discount', ['1', promotion]), [promotion]);
  check('absent orders', await absent('order', [order.id, '987654']), ['987654']);
  check('an id that was never given', (await store.readOrder(DOMAIN, '987654')).kind, 'gone');
}

async function otherCurrency(): Promise<void> {
  const { id } = await merchant.buyAbroad(person('uma'), 'MUG', 1099);
  const read = await store.readOrder(DOMAIN, id);
  check('an order in dollars', read.kind === 'found' && read.value.ofOtherCurrency, true);
}

function untilNow() {
  return { from: undefined, until: Date.now() };
}

/** While things are added and deleted, what was there before and stays is on some page. */
async function pages(): Promise<void> {
  const idsOf = async (kind: string, filter = ''): Promise<string[]> => {
    const ids: string[] = [];
    for (;;) {
      const data = await shop.admin<Record<string, { items: { id: string }[] }>>(
        `{ ${kind}(options: { skip: ${ids.length}, sort: { id: ASC } ${filter} }) { items { id } } }`,
      );
      const more = data[kind]?.items ?? [];
      if (more.length === 0) return ids;
      ids.push(...more.map(({ id }) => id));
    }
  };
  for (let n = 0; n < 100; n += 1) await merchant.addEmptyProduct(`Thing ${n}`);
  const before = await idsOf('products');
  const [first = ''] = before;
  let isDeleted = false;
  const seen = await readAll(
    (after) => store.changedProducts(DOMAIN, untilNow(), after),
    async () => {
      if (!isDeleted) await merchant.deleteProduct(first);
      isDeleted = true;
      await merchant.addEmptyProduct('New');
    },
  );
  const found = new Set(seen.map(({ id }) => id));
  check(
    'products on no page',
    before.filter((id) => id !== first && !found.has(id)),
    [],
  );

  const absent = await store.findAbsent(DOMAIN, 'product', [...before, '987654']);
  check('products that are not there', absent.kind === 'found' && [...absent.value], [
    first,
    '987654',
  ]);
  const placed = 'filter: { active: { eq: false }, currencyCode: { eq: "EUR" } }';
  const orders = await idsOf('orders', placed);
  const visitor = await merchant.register(person('vic'));
  await merchant.addProduct('Pen', { PEN: 199 });
  const listed = await readAll(
    (after) => store.changedOrders(DOMAIN, untilNow(), after),
    async () => {
      await merchant.buy(visitor, { goods: { PEN: 1 } });
    },
  );
  const onPages = listed.map(({ id }) => id);
  check(
    'orders on no page',
    orders.filter((id) => !onPages.includes(id)),
    [],
  );
  check('more than one page of orders', orders.length > 100, true);
}

async function readAll<Value>(
  read: (after: string | undefined) => Promise<ScanAnswer<ScanPage<Value>>>,
  between: () => Promise<void> = async () => {},
) {
  const all: ScanPage<Value>['changed'][number][] = [];
  let after: string | undefined;
  do {
    const answer = await read(after);
    if (answer.kind === 'unavailable') throw new Error(`the store is unavailable: ${answer.why}`);
    all.push(...answer.value.changed);
    after = answer.value.next;
    await between();
  } while (after !== undefined);
  return all;
}

function person(name: string) {
  return { emailAddress: `${name}-${part}@example.com`, firstName: name, lastName: 'Example' };
}
