import {
  type Channel,
  ChannelService,
  type Customer,
  CustomerService,
  type ID,
  isGraphQlErrorResult,
  type Order,
  OrderService,
  ProductVariant,
  type RequestContext,
  RequestContextService,
  ShippingMethod,
  TransactionalConnection,
  User,
} from '@vendure/core';

/**
 * The process of an engine that places many orders by its own services, and then ends. Its arguments are the port and
 * the file of its data, a name for the customers, how many orders, and where the plugin sends to, if it runs.
 */
const [node = '', script = '', port = '', file = '', name = '', count = '', ...target] =
  process.argv;
process.argv = [node, script, port, file, ...target];
const { app } = await import('../../../local/vendure-engine/server/server.ts');

const connection = app.get(TransactionalConnection);
const orders = app.get(OrderService);
const contexts = app.get(RequestContextService);
const { driver } = connection.rawConnection as unknown as { driver: SavingDriver };
interface SavingDriver {
  autoSave(): Promise<void>;
}
// The file is written once, at the end: to write it after each change takes longer than all the rest.
const save = driver.autoSave.bind(driver);
driver.autoSave = async () => {};

const CUSTOMERS = 25;
const ADDRESS = {
  fullName: 'A Person',
  streetLine1: '1 Road',
  city: 'Berlin',
  postalCode: '10115',
  countryCode: 'DE',
};
const BY_PARCEL = {
  code: 'manual-fulfillment',
  arguments: [
    { name: 'method', value: 'parcel' },
    { name: 'trackingCode', value: '1' },
  ],
};

type Placed = { readonly ctx: RequestContext; readonly order: Order; readonly paymentId: ID };
interface Kind {
  readonly goods: Readonly<Record<string, number>>;
  readonly coupons?: readonly string[];
  readonly pay?: 'card' | 'transfer' | 'invoice';
  readonly abroad?: true;
  /** What happens to it afterwards. */
  readonly next?: (placed: Placed) => Promise<void>;
}

/** Every twentieth order is of the same kind. */
const KINDS: readonly Kind[] = [
  { goods: { 'SHIRT-S': 2, MUG: 1, BOOK: 1 }, next: ship },
  { goods: { MUG: 3 }, pay: 'transfer', next: ship },
  { goods: { BOOK: 7 }, next: ship },
  { goods: { 'SHIRT-M': 1, BOOK: 2 }, next: ship },
  { goods: { MUG: 1, BOOK: 3 }, coupons: ['FIVEOFF'], next: ship },
  { goods: { 'SHIRT-S': 1, MUG: 2 }, coupons: ['TENPCT'], next: ship },
  { goods: { 'SHIRT-S': 2, MUG: 1, BOOK: 1 }, coupons: ['TENPCT', 'FIVEOFF'], next: ship },
  { goods: { MUG: 1 } },
  { goods: { 'SHIRT-M': 2 }, pay: 'invoice' },
  { goods: { 'SHIRT-S': 3, BOOK: 1 }, next: (one) => send(one, [firstLine(one, 1)]) },
  { goods: { MUG: 2 }, abroad: true, next: ship },
  {
    goods: { 'SHIRT-S': 3, MUG: 1 },
    coupons: ['TENPCT'],
    next: async (one) => {
      await ship(one);
      await refund(one, { lines: [firstLine(one, 1)] });
    },
  },
  {
    goods: { BOOK: 3, MUG: 1 },
    next: async (one) => {
      await ship(one);
      await refund(one, { amount: 777 });
    },
  },
  {
    goods: { BOOK: 2, 'SHIRT-M': 2 },
    coupons: ['FIVEOFF'],
    next: async (one) => {
      await ship(one);
      await refund(one, { lines: [firstLine(one, 1)], shipping: 250, adjustment: -50 });
    },
  },
  {
    goods: { MUG: 2 },
    next: async (one) => {
      await ship(one);
      await refund(one, { amount: one.order.totalWithTax });
    },
  },
  { goods: { MUG: 4 }, next: (one) => cancel(one) },
  {
    goods: { 'SHIRT-S': 3 },
    next: async (one) => {
      await cancel(one, [firstLine(one, 1)]);
      await ship(one);
    },
  },
  {
    goods: { 'SHIRT-S': 2, BOOK: 2 },
    next: async (one) => {
      await ship(one);
      await modify(one, { adjustOrderLines: [firstLine(one, 1)] });
    },
  },
  {
    goods: { 'SHIRT-M': 1, BOOK: 1 },
    next: async (one) => {
      await ship(one);
      const wrong = { description: 'damaged', price: -300, priceIncludesTax: true, taxRate: 19 };
      await modify(one, { surcharges: [wrong] });
    },
  },
  { goods: { 'SHIRT-M': 1, 'SHIRT-S': 1, MUG: 1, BOOK: 1 }, pay: 'transfer', next: ship },
];

await placeAll();
await save();
process.exit(0);

async function placeAll(): Promise<void> {
  const user = await connection.rawConnection.getRepository(User).findOneOrFail({
    where: { identifier: 'superadmin' },
    relations: { roles: { channels: true } },
  });
  const abroad = await channelAbroad(user);
  const contextOf = (channel?: Channel) =>
    contexts.create({ apiType: 'admin', user, ...(channel && { channelOrToken: channel }) });
  const variants = await connection.rawConnection.getRepository(ProductVariant).find();
  const skus = new Map(variants.map(({ id, sku }) => [sku, id]));
  const [method] = await connection.rawConnection.getRepository(ShippingMethod).find();
  const customers: Customer[] = [];
  for (let n = 0; n < CUSTOMERS; n += 1) customers.push(await addCustomer(await contextOf(), n));
  for (let n = 0; n < Number(count); n += 1) {
    const kind = KINDS[n % KINDS.length];
    // Not the same customers for the same kind.
    const customer = customers[(n + Math.floor(n / KINDS.length)) % CUSTOMERS];
    if (!kind || !customer || !method) throw new Error('the shop is empty');
    const context = await contextOf(kind.abroad && abroad);
    await connection.withTransaction(context, async (ctx) => {
      const placed = await place(ctx, kind, customer, skus, method.id);
      await kind.next?.(placed);
    });
  }
}

async function channelAbroad(user: User): Promise<Channel | undefined> {
  const ctx = await contexts.create({ apiType: 'admin', user });
  const { items } = await app.get(ChannelService).findAll(ctx);
  return items.find(({ code }) => code === 'abroad');
}

async function addCustomer(ctx: RequestContext, n: number): Promise<Customer> {
  const input = {
    emailAddress: `${name}-${n}@example.com`,
    firstName: name,
    lastName: `Number ${n}`,
    ...(n % 3 === 0 && { phoneNumber: `+4930${1000 + n}` }),
  };
  return must(await app.get(CustomerService).create(ctx, input));
}

async function place(
  ctx: RequestContext,
  { goods, coupons = [], pay = 'card' }: Kind,
  customer: Customer,
  skus: ReadonlyMap<string, ID>,
  shippingMethodId: ID,
): Promise<Placed> {
  const { id } = await orders.create(ctx);
  await orders.addCustomerToOrder(ctx, id, customer);
  const items = Object.entries(goods).map(([sku, quantity]) => ({
    productVariantId: skus.get(sku) ?? '',
    quantity,
  }));
  const { errorResults } = await orders.addItemsToOrder(ctx, id, items);
  for (const error of errorResults) must(error);
  for (const code of coupons) must(await orders.applyCouponCode(ctx, id, code));
  await orders.setShippingAddress(ctx, id, ADDRESS);
  must(await orders.setShippingMethod(ctx, id, [shippingMethodId]));
  must(await orders.transitionToState(ctx, id, 'ArrangingPayment'));
  must(await orders.addPaymentToOrder(ctx, id, { method: pay, metadata: {} }));
  const order = await orders.findOne(ctx, id, ['lines', 'payments', 'surcharges']);
  const paymentId = order?.payments[0]?.id;
  if (!order || paymentId === undefined) throw new Error(`the order ${id} was not placed`);
  return { ctx, order, paymentId };
}

function firstLine({ order }: Placed, quantity: number) {
  const [line] = order.lines;
  if (!line) throw new Error(`the order ${order.id} has no line`);
  return { orderLineId: line.id, quantity };
}

async function ship(one: Placed): Promise<void> {
  const order = await orders.findOne(one.ctx, one.order.id, ['lines']);
  const lines = (order?.lines ?? []).map(({ id, quantity }) => ({ orderLineId: id, quantity }));
  await send(one, lines);
}

async function send({ ctx }: Placed, lines: { orderLineId: ID; quantity: number }[]) {
  const { id } = must(await orders.createFulfillment(ctx, { lines, handler: BY_PARCEL }));
  must(await orders.transitionFulfillmentToState(ctx, id, 'Shipped'));
}

interface Refunded {
  readonly lines?: { orderLineId: ID; quantity: number }[];
  readonly shipping?: number;
  readonly adjustment?: number;
  readonly amount?: number;
}

async function refund({ ctx, paymentId }: Placed, what: Refunded): Promise<void> {
  const nothing = { lines: [], shipping: 0, adjustment: 0 };
  must(await orders.refundOrder(ctx, { paymentId, reason: 'returned', ...nothing, ...what }));
}

async function cancel(
  { ctx, order }: Placed,
  lines?: { orderLineId: ID; quantity: number }[],
): Promise<void> {
  const what = lines ? { lines } : { cancelShipping: true };
  must(await orders.cancelOrder(ctx, { orderId: order.id, reason: 'not wanted', ...what }));
}

async function modify({ ctx, order, paymentId }: Placed, changes: object): Promise<void> {
  must(await orders.transitionToState(ctx, order.id, 'Modifying'));
  must(
    await orders.modifyOrder(ctx, {
      orderId: order.id,
      dryRun: false,
      options: { recalculateShipping: false },
      refund: { paymentId, reason: 'modified' },
      ...changes,
    }),
  );
  must(await orders.transitionToState(ctx, order.id, 'Shipped'));
}

function must<Result>(result: Result): Exclude<Result, { readonly errorCode: string }> {
  if (isGraphQlErrorResult(result as never)) throw new Error(JSON.stringify(result));
  return result as Exclude<Result, { readonly errorCode: string }>;
}
