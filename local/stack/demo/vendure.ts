import { existsSync } from 'node:fs';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { createVendureStore } from '../../../shared/vendure/vendure-store.ts';
import type { VendureEngine } from '../../vendure-engine/engine.ts';
import { LOGIN, VendureShop } from '../../vendure-engine/shop.ts';
import { openShopkeeper } from '../../vendure-engine/shopkeeper.ts';
import type { RunningStack } from '../running-stack.ts';
import type { ComparedStore } from './compare.ts';
import { pacedBy } from './day.ts';
import { loyaltyPage, programAddresses, type ShownStore } from './shown-store.ts';

/** The stack with a Vendure server as its store. The store sandbox runs beside it, unused. */
export function withServer(stack: RunningStack, engine: VendureEngine): RunningStack {
  const { neighbours, waiting, shops } = stack;
  const [first, ...others] = shops;
  const address = adminPage(engine);
  // Not as the store: it has no place for each id on the other pages.
  delete neighbours.store;
  neighbours.shop = address;
  return {
    ...stack,
    shops: [{ ...first, store: { ...first.store, address } }, ...others],
    waiting: async () => engine.unsent() + (await waiting()),
  };
}

const addressOf = ({ port }: VendureEngine): string => `http://127.0.0.1:${port}`;
const adminPage = (engine: VendureEngine): string => `${addressOf(engine)}/admin`;

/** Starts the server. Its plugin sends to the stack. */
export async function showVendure(engine: VendureEngine, stack: RunningStack): Promise<ShownStore> {
  const isNew = !existsSync(engine.file);
  const { webhookAddress, webhookSecret, shop, loyalty } = stack;
  await engine.start({ address: webhookAddress, secret: webhookSecret });
  const api = new VendureShop(engine.port);
  const shopkeeper = openShopkeeper(api);
  await shopkeeper.setUp();
  return {
    isNew,
    play: async (parts) => (isNew ? playOrders(shopkeeper, parts) : undefined),
    list: () => listVendure(api, shop),
    pages: [
      ['the shop', adminPage(engine), `Vendure: ${LOGIN.username}, password ${LOGIN.password}`],
      loyaltyPage(loyalty),
    ],
    programs: [
      ['Shop API', `${addressOf(engine)}/shop-api`, 'GraphQL, as a storefront uses it'],
      ['Admin API', `${addressOf(engine)}/admin-api`],
      ...programAddresses(stack),
    ],
    toTry: `\
On the page of the shop, open a paid order or create a draft order. "Fulfill order" with any method, then "Mark as
Shipped": the points arrive. Compare both sides as they are then:

  npx loyalty-connector compare orders --since 1d`,
  };
}

/** Everything through the APIs that Vendure's own pages use. */
async function playOrders(
  shop: ReturnType<typeof openShopkeeper>,
  { say, pace, signal }: Parameters<ShownStore['play']>[0],
): Promise<void> {
  const pause = pacedBy(pace, signal);
  const register = (firstName: string) =>
    shop.register({
      emailAddress: `${firstName.toLowerCase()}@example.com`,
      firstName,
      lastName: 'Sampleson',
    });
  say('The shop opens: three products, the code WELCOME10, three customers.');
  await shop.addProduct('Linen Shirt', { 'SHIRT-S': 4900, 'SHIRT-M': 5200 });
  await shop.addProduct('Enamel Mug', { MUG: 1700 });
  await shop.addProduct('Notebook', { NOTEBOOK: 900 }, 'Reduced');
  await shop.addPromotion('WELCOME10', { percent: 10 });
  const [robin, sasha, toni] = [
    await register('Robin'),
    await register('Sasha'),
    await register('Toni'),
  ];
  await pause();
  say('Robin buys two shirts and a mug, and pays by card.');
  const robins = await shop.buy(robin, { goods: { 'SHIRT-S': 2, MUG: 1 } });
  await pause();
  say('Sasha buys notebooks with the code WELCOME10, and pays by transfer.');
  const sashas = await shop.buy(sasha, {
    goods: { NOTEBOOK: 3 },
    coupons: ['WELCOME10'],
    pay: 'transfer',
  });
  await pause();
  say('Both orders are shipped: now they earn points.');
  await shop.ship(robins.id);
  await shop.ship(sashas.id);
  await pause();
  say('Robin sends one of the shirts back, and gets the money for it.');
  const shirts = robins.lines.filter(({ sku }) => sku === 'SHIRT-S');
  await shop.refund(robins.id, {
    lines: shirts.map(({ id }) => ({ orderLineId: id, quantity: 1 })),
  });
  await pause();
  say('Toni buys a mug. It is not shipped yet.');
  await shop.buy(toni, { goods: { MUG: 1 } });
}

interface Lists {
  readonly orders: { readonly items: readonly { readonly id: string }[] };
  readonly products: Lists['orders'];
  readonly promotions: { readonly items: readonly { readonly couponCode: string | null }[] };
}

/** A start must not fail because the machine is busy. */
const BUSY_MACHINE_MS = 120_000;

async function listVendure(api: VendureShop, { vendure }: Shop): Promise<ComparedStore> {
  if (!vendure) throw new Error('not a Vendure shop');
  const login = { kind: 'login', ...LOGIN } as const;
  const { orders, products, promotions } = await api.admin<Lists>(
    `{ orders(options: { filter: { orderPlacedAt: { isNull: false } } }) { items { id } }
      products { items { id } } promotions { items { couponCode } } }`,
  );
  return {
    admin: createVendureStore({
      shop: () => ({
        ...{ ...vendure, address: vendure.adminApi, timeoutMs: BUSY_MACHINE_MS },
        secret: { get: async () => login, refresh: async () => login },
      }),
    }),
    orderIds: orders.items.map(({ id }) => id),
    productIds: products.items.map(({ id }) => id),
    codes: promotions.items.flatMap(({ couponCode }) => couponCode ?? []),
  };
}
