import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/stack/start-options.ts';
import { installVendure, VendureEngine } from '../../local/vendure-engine/engine.ts';
import { VendureShop, type Visitor } from '../../local/vendure-engine/shop.ts';
import { sign } from '../../shared/vendure/deliveries.ts';
import { createVendureStore } from '../../shared/vendure/vendure-store.ts';
import { describeStorePlatform, type PlatformUnderTest } from '../contract/store-platform.ts';
import { openMerchant } from './merchant.ts';

const SHOP = 'vendure.example.com';
const secrets = { current: 'newer-secret-of-this-test', previous: 'older-secret-of-this-test' };
const KINDS = { order: 'order', product: 'product', discount: 'promotion', member: 'customer' };
const credentials = { kind: 'login', username: 'superadmin', password: 'superadmin' } as const;

type Person = Parameters<PlatformUnderTest['createCustomer']>[0];
const personOf = ({ email: emailAddress, ...names }: Person) => ({ ...names, emailAddress });

async function open(): Promise<PlatformUnderTest> {
  const data = mkdtempSync(join(tmpdir(), 'vendure-'));
  const port = await freePort();
  const engine = new VendureEngine(
    await installVendure(console.log),
    join(data, 'shop.sqlite'),
    port,
  );
  await engine.start(undefined);
  const api = new VendureShop(port);
  const merchant = openMerchant(api);
  await merchant.setUp();
  const visitors = new Map<string, Visitor>();
  const skus = new Map<string, string>();
  const cents = (amount: number) => Math.round(amount * 100);

  async function createProduct(price: number): Promise<string> {
    const sku = `GOODS-${skus.size}`;
    const id = await merchant.addProduct(sku, { [sku]: cents(price) });
    skus.set(id, sku);
    return id;
  }

  async function createCustomer(person: Person) {
    const visitor = await merchant.register(personOf(person));
    const id = await merchant.customerId(person.email);
    visitors.set(id, visitor);
    return id;
  }

  async function changeChannel(changes: object): Promise<void> {
    const input = { id: '1', availableCurrencyCodes: ['EUR', 'USD'], ...changes };
    await api.admin(
      'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { __typename } }',
      { input },
    );
  }

  const forSale = new Map<number, string>();
  async function skuAt(price: number): Promise<string> {
    const sku = forSale.get(price) ?? skus.get(await createProduct(price)) ?? '';
    forSale.set(price, sku);
    return sku;
  }

  const buyer = await createCustomer({ firstName: 'Ana', lastName: 'No', email: 'a@example.com' });

  return {
    ...{ shop: SHOP, currency: 'EUR', secrets },
    settings: {
      ...{ platform: 'vendure', domain: SHOP, path: 'shop' },
      vendure: { adminApi: `http://127.0.0.1:${port}/admin-api`, currency: 'EUR' },
    },
    storeSecret: { username: 'superadmin', password: 'superadmin' },
    wrongSecret: { username: 'superadmin', password: 'not-the-password' },
    store: createVendureStore({
      shop: () => ({
        ...{ address: `http://127.0.0.1:${port}/admin-api`, channel: undefined },
        secret: { get: async () => credentials, refresh: async () => credentials },
        ...{ currency: 'EUR', precision: 2, changeDays: 60, timeoutMs: 60_000 },
      }),
      pageSize: 10,
    }),
    now: () => new Date(),
    deliver({ kind, id, change }, how) {
      const at = Date.now() - (how === 'captured an hour ago' ? 3_600_000 : 0);
      const timestamp = String(Math.floor(at / 1000));
      // The deletion of a customer is the request to erase them.
      const said = change === 'erased' ? 'deleted' : change;
      const named = { kind: KINDS[kind], entityId: id, change: said };
      const event = { id: `delivery-of-${kind}-${id}`, ...named };
      const body = Buffer.from(JSON.stringify({ ...event, at: new Date(at).toISOString() }));
      const older = how === 'signed with the older secret' ? secrets.previous : secrets.current;
      const secret = how === 'of another shop' ? 'secret-of-another-shop' : older;
      const headers = {
        'x-loyalty-timestamp': timestamp,
        ...(how !== 'unsigned' && { 'x-loyalty-signature': sign(secret, timestamp, body) }),
      };
      const wasChanged = how === 'changed after it was signed';
      return { headers, body: wasChanged ? Buffer.concat([body, Buffer.from(' ')]) : body };
    },
    async buy({ lines, taxes, code, pay, customerId = buyer, foreignCurrency, guest }) {
      const bought = [];
      for (const { price, quantity } of lines) bought.push([await skuAt(price), quantity] as const);
      if (taxes === 'on top') await changeChannel({ pricesIncludeTax: false });
      if (foreignCurrency) await changeChannel({ defaultCurrencyCode: 'USD' });
      const basket = {
        goods: Object.fromEntries(bought),
        coupons: code ? [code] : [],
        pay: pay === 'later' ? 'invoice' : 'card',
      } as const;
      const visitor = guest ? undefined : visitors.get(customerId);
      const order = await merchant.buy(visitor ?? api.visit(), basket, guest && personOf(guest));
      await changeChannel({ pricesIncludeTax: true, defaultCurrencyCode: 'EUR' });
      const lineIds = bought.map(([sku]) => order.lines.find((line) => line.sku === sku)?.id ?? '');
      return { id: order.id, lineIds };
    },
    pay: (id) => merchant.settle(id),
    ship: (id) => merchant.ship(id),
    refundPieces: (id, orderLineId, quantity) =>
      merchant.refund(id, { lines: [{ orderLineId, quantity }] }),
    async refundAmount(id, amount) {
      const [first, more] = (await merchant.order(id)).payments;
      const rest = cents(amount) - (first?.amount ?? 0);
      await merchant.refund(id, { amount: cents(amount) - Math.max(rest, 0) });
      if (!more || rest <= 0) return;
      const nothing = { lines: [], shipping: 0, adjustment: 0, reason: 'as the customer wished' };
      const input = { ...nothing, paymentId: more.id, amount: rest };
      // What was paid later was a transfer, whose refund is pending at first.
      await merchant.settleRefund(await api.create('refundOrder', 'RefundOrderInput', input));
    },
    refundShipping: (id) => merchant.refund(id, { shipping: 500 }),
    cancelPieces: (id, orderLineId, quantity) => merchant.cancel(id, [{ orderLineId, quantity }]),
    cancel: (id) => merchant.cancel(id),
    async modify(id, { add, remove, surcharge, difference }) {
      const { lines } = await merchant.order(id);
      const line = lines.find((one) => one.id === remove?.lineId);
      const left = (line?.quantity ?? 0) - (remove?.quantity ?? 0);
      const added = add && {
        productVariantId: merchant.variantId(await skuAt(add.price)),
        quantity: add.quantity,
      };
      const wrapping = { description: 'wrapping', priceIncludesTax: true, taxRate: 19 };
      await merchant.modify(
        id,
        {
          ...(line && { adjustOrderLines: [{ orderLineId: line.id, quantity: left }] }),
          ...(added && { addItems: [added] }),
          ...(surcharge && { surcharges: [{ ...wrapping, price: cents(surcharge) }] }),
        },
        difference > 0 ? 'pay' : 'refund',
      );
    },
    createProduct,
    changePrice: (id, price) => merchant.setPrice(skus.get(id) ?? '', cents(price)),
    createCode: (code) => merchant.addPromotion(code, { percent: 10 }),
    endCode: (id) => merchant.changePromotion(id, { endsAt: new Date(Date.now() - 1_000) }),
    createCustomer,
    changeCustomer: (id, { email: emailAddress }) => merchant.changeCustomer(id, { emailAddress }),
    async remove(kind, id) {
      if (kind === 'product') return merchant.deleteProduct(id);
      if (kind === 'discount') return merchant.deletePromotion(id);
      return merchant.deleteCustomer(id);
    },
    async close() {
      await engine.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

describeStorePlatform('vendure', open, {
  'ids beyond 2^53': 'its database counts from 1; other strategies give texts',
});
