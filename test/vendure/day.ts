import { join } from 'node:path';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { buildBeside, type VendureEngine } from '../../local/vendure-engine/engine.ts';
import { VendureShop, type Visitor } from '../../local/vendure-engine/shop.ts';
import type { PlacedOrder } from '../../local/vendure-engine/shopkeeper.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { readLastReconcile, sumOf } from '../../shared/core/reconcile/last-reconcile.ts';
import { type LocalStack, startLocalStack } from '../support/local-stack.ts';
import type { OutsideCall } from '../support/outside-line.ts';
import { Check, person, type Say, withClockAhead } from './check.ts';
import { openGate, openWorkerLine } from './disturbances.ts';
import { type Merchant, openMerchant } from './merchant.ts';

const SETTINGS = 'test/fixtures/vendure.config.ts';
const HELD_REFUNDS = join(import.meta.dirname, 'in-engine/held-refunds.ts');

/** A day in a shop, with kills of both sides and lost events; the engine's tables say what must come out. Gives the faults. */
export async function playDay(
  folder: string,
  engine: VendureEngine,
  say: Say,
): Promise<readonly string[]> {
  const port = String(engine.port);
  process.env.VENDURE_PORT = port;
  const server = await buildBeside(folder, HELD_REFUNDS);
  const line = await openWorkerLine(engine.port);
  const stack = await startLocalStack({
    settings: SETTINGS,
    environmentOf: (of, own) =>
      line.environmentOf(of, withClockAhead(of, { ...own, VENDURE_PORT: port })),
  });
  line.of(stack);
  const gate = await openGate(stack.webhookAddress);
  try {
    await shortenVisibility(stack);
    say('the stack runs');
    return await new Day({ engine, server, stack, line, gate, say }).play();
  } finally {
    await engine.kill();
    await gate.stop();
    await stack.stop();
    await line.close();
  }
}

/**
 * A message of a killed worker comes back after this time; in a deployment, after 24 minutes. Longer than the 30 seconds
 * in which a call may be under way: what returns earlier waits once more.
 */
const VISIBLE_AGAIN_SECONDS = '35';

async function shortenVisibility({ sqs, description }: LocalStack): Promise<void> {
  const Attributes = { VisibilityTimeout: VISIBLE_AGAIN_SECONDS };
  for (const { url } of description.queues) {
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }));
  }
}

interface Parts {
  readonly engine: VendureEngine;
  /** The program that the engine runs. */
  readonly server: string;
  readonly stack: LocalStack;
  readonly line: Awaited<ReturnType<typeof openWorkerLine>>;
  readonly gate: Awaited<ReturnType<typeof openGate>>;
  readonly say: Say;
}

class Day {
  readonly #engine: VendureEngine;
  readonly #stack: LocalStack;
  readonly #parts: Parts;
  readonly #check: Check;
  readonly #shop: VendureShop;
  readonly #merchant: Merchant;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#engine = parts.engine;
    this.#stack = parts.stack;
    this.#check = new Check(parts.engine, parts.say);
    this.#shop = new VendureShop(parts.engine.port);
    this.#merchant = openMerchant(this.#shop);
  }

  async play(): Promise<readonly string[]> {
    const merchant = this.#merchant;
    await this.#start();
    await merchant.setUp();
    const shirt = await merchant.addProduct('Shirt', { 'SHIRT-S': 1999, 'SHIRT-M': 2199 });
    const mug = await merchant.addProduct('Mug', { MUG: 999 });
    await merchant.addProduct('Book', { BOOK: 1500 }, 'Reduced');
    const lamp = await merchant.addProduct('Lamp', { LAMP: 4999 });
    const ten = await merchant.addPromotion('TENPCT', { percent: 10 });
    const five = await merchant.addPromotion('FIVEOFF', { cents: 500 });
    const spare = await merchant.addPromotion('SPARE', { cents: 200 });
    const old = await merchant.addPromotion('OLD', { percent: 5 });
    const ada = await merchant.register(person('ada', '+4930123'));
    const bo = await merchant.register(person('bo'));
    const cy = await merchant.register(person('cy'));
    await this.#compare('a catalogue, promotions and three customers');

    const both = { goods: { 'SHIRT-S': 2, MUG: 1, BOOK: 1 }, coupons: ['TENPCT', 'FIVEOFF'] };
    const refunded = await merchant.buy(ada, both);
    const parcels = await merchant.buy(bo, { goods: { 'SHIRT-M': 1, BOOK: 2 } });
    const invoice = await merchant.buy(cy, { goods: { LAMP: 1 }, pay: 'invoice' });
    const guest = await merchant.buy(this.#shop.visit(), { goods: { MUG: 3 } }, person('guest'));
    await this.#compare('four orders that are not shipped yet');

    await merchant.ship(refunded.id, undefined, 'Delivered');
    await merchant.ship(parcels.id, [lineOf(parcels, 'SHIRT-M', 1)], 'Delivered');
    await merchant.ship(parcels.id, [lineOf(parcels, 'BOOK', 2)]);
    await merchant.settle(invoice.id);
    await merchant.ship(invoice.id);
    await merchant.ship(guest.id);
    await this.#compare('they are shipped, one of them in two parcels, of which one arrived');

    await merchant.refund(refunded.id, { lines: [lineOf(refunded, 'SHIRT-S', 1)] });
    await this.#compare('one piece is refunded');
    const mugBack = [lineOf(refunded, 'MUG', 1)];
    await merchant.refund(refunded.id, { lines: mugBack, shipping: 500, adjustment: -100 });
    await merchant.refund(refunded.id, { amount: 250 });
    const pending = await merchant.refund(invoice.id, { amount: 1000 });
    await this.#compare('a line with its shipping, and amounts, are refunded');

    await this.#killEngine(parcels);
    const goods = { 'SHIRT-S': 2, BOOK: 1 };
    const buyers = ['ada2', 'bo2', 'cy2', 'dan2', 'eve2'];
    const [less, more, over, part, gone] = await this.#buyMany(buyers, 1, goods);
    if (!less || !more || !over || !part || !gone) throw new Error('the shop took no order');
    await this.#killWorkers([less, more, over, part], refunded);
    await merchant.ship(gone.id);
    await this.#compare('the engine and workers were killed at seven moments');

    await merchant.modify(
      less.id,
      { adjustOrderLines: [{ ...lineOf(less, 'BOOK', 1), quantity: 0 }] },
      'refund',
    );
    await merchant.modify(
      more.id,
      {
        addItems: [{ productVariantId: merchant.variantId('MUG'), quantity: 2 }],
        surcharges: [wrap(238)],
      },
      'pay',
      'PartiallyShipped',
    );
    const added = await merchant.order(more.id);
    await merchant.ship(more.id, [lineOf(added, 'MUG', 2)]);
    await merchant.modify(over.id, { surcharges: [wrap(-300)] }, 'refund');
    await merchant.cancel(part.id, [lineOf(part, 'SHIRT-S', 1)]);
    await merchant.cancel(gone.id);
    await this.#refundOverTwoPayments(bo);
    await this.#buyWithTaxesOnTop(cy);
    await this.#compare('orders were modified both ways, and cancelled in part and wholly');

    await merchant.settleRefund(pending);
    await merchant.refund(part.id, { amount: 1999 });
    await merchant.refund(more.id, {
      lines: [lineOf(more, 'SHIRT-S', 2), lineOf(more, 'BOOK', 1)],
    });
    await merchant.setPrice('SHIRT-S', 1799);
    await merchant.changeProduct(mug, { enabled: false });
    await merchant.changePromotion(ten, { enabled: false });
    await merchant.deletePromotion(old);
    await merchant.deleteProduct(lamp);
    const boId = await merchant.customerId('bo@example.com');
    await merchant.changeCustomer(boId, { lastName: 'Changed', phoneNumber: '+4940' });
    await ada(
      'mutation { requestUpdateCustomerEmailAddress(password: "a long password", newEmailAddress: "new@example.com") { __typename } }',
    );
    await this.#compare('prices, products, promotions and customers changed');

    await this.#engine.kill();
    await this.#engine.start(undefined);
    const lost = await merchant.buy(cy, { goods: { 'SHIRT-M': 3 } });
    await merchant.ship(lost.id);
    await merchant.refund(guest.id, { lines: [lineOf(guest, 'MUG', 1)] });
    await merchant.cancel(less.id);
    await merchant.setPrice('BOOK', 1200);
    await merchant.changeProduct(mug, { enabled: true });
    await merchant.changePromotion(spare, { actions: [discount('order_fixed_discount', 700)] });
    await merchant.addPromotion('UNSEEN', { percent: 15 });
    await this.#engine.kill();
    await this.#start();
    this.#check.expect('events were lost', this.#check.differences(this.#stack).length >= 6);
    await this.#reconcile(false);
    await this.#compare('a run of reconcile found what no event had said');
    const again = await this.#reconcile(false);
    this.#check.expect('a second run heals nothing', sumOf(again?.healed) === 0);
    await this.#engine.kill();
    await this.#engine.start(undefined);
    await merchant.deleteProduct(shirt);
    await merchant.deletePromotion(five);
    await this.#engine.kill();
    await this.#start();
    await this.#reconcile(true);
    await this.#compare('a deep scan found what was deleted unseen');
    await this.#check.expectSound(this.#stack);
    return this.#check.faults;
  }

  async #start(): Promise<void> {
    const { server, gate, stack } = this.#parts;
    await this.#engine.start({ address: gate.address, secret: stack.webhookSecret }, server);
  }

  #compare(after: string): Promise<void> {
    return this.#check.compare(this.#stack, after);
  }

  /**
   * While rows of the outbox are not sent, the answer to one is lost, and a modification with its row is not committed.
   * What was committed must be told after the restart, though the row under way only after its lease.
   */
  async #killEngine(order: PlacedOrder): Promise<void> {
    const { gate } = this.#parts;
    gate.isDeaf = true;
    const placed = await this.#buyMany(['dan', 'eve', 'finn', 'gil'], 2);
    this.#check.expect(`orders were placed: ${placed.length}`, placed.length > 1);
    const unsent = () => this.#engine.unsent('order');
    await this.#check.until('orders are stored and not sent', () => unsent() >= placed.length);
    const before = unsent();
    const refund = { paymentId: order.payments[0]?.id, reason: 'held' };
    const none = { ...lineOf(order, 'SHIRT-M', 1), quantity: 0 };
    const changes = { adjustOrderLines: [none], refund };
    const broken = this.#merchant.modify(order.id, changes, 'refund').catch(() => 'broken');
    const isHeld = () => this.#engine.log.includes('a refund is held');
    await this.#check.until('a transaction is under way', isHeld);
    await this.#engine.kill();
    this.#check.expect('the modification was not answered', (await broken) === 'broken');
    const [row] = this.#engine.query<{ n: number }>('SELECT count(*) AS n FROM order_modification');
    this.#check.expect('the modification was not committed', row?.n === 0);
    this.#check.expect('nothing of the outbox is lost', unsent() >= before);
    gate.isDeaf = false;
    await this.#start();
    await this.#shop.admin(
      'mutation ($id: ID!, $state: String!) { transitionOrderToState(id: $id, state: $state) { __typename } }',
      { id: order.id, state: order.state },
    );
  }

  /** The worker of orders, each time at another step of an order that was shipped or refunded. */
  async #killWorkers(orders: readonly PlacedOrder[], refunded: PlacedOrder): Promise<void> {
    const { line } = this.#parts;
    const isSent = (id: string) => (call: OutsideCall) =>
      call.service === 'loyalty' && call.name === 'POST /POS/orders' && holds(call, id);
    const isRecorded = (id: string) => (call: OutsideCall) =>
      call.name === 'PutItem' && isOf(call, id) && line.calls.some(isSent(id));
    const isRead = (id: string) => (call: OutsideCall) =>
      call.service === 'store' && call.name === 'order' && call.body.includes(`"id":"${id}"`);
    const moments = [
      ['after the store was read', isRead, 'after'],
      ['before the service is called', isSent, 'before'],
      ['after the service was called', isSent, 'after'],
      ['before that is recorded', isRecorded, 'before'],
    ] as const;
    for (const [index, [what, callsOf, when]] of moments.entries()) {
      const id = orders[index]?.id ?? '';
      const kill = line.killAt(callsOf(id), when);
      await this.#merchant.ship(id);
      await this.#check.until(`a worker was killed ${what}`, () => kill.isMet);
    }
    const isCancel = ({ name, path }: OutsideCall) =>
      name.endsWith('/partialcancel') && path.includes(`/${refunded.id}/`);
    const kill = line.killAt(isCancel, 'after');
    await this.#merchant.refund(refunded.id, { amount: 500 });
    await this.#check.until('a worker was killed after a part was taken back', () => kill.isMet);
  }

  /** More than the first payment was: Vendure makes a refund of each, and both say what shipping went back. */
  async #refundOverTwoPayments(visitor: Visitor): Promise<void> {
    const merchant = this.#merchant;
    const order = await merchant.buy(visitor, { goods: { 'SHIRT-S': 1 } });
    await merchant.ship(order.id);
    const mugs = { productVariantId: merchant.variantId('MUG'), quantity: 2 };
    await merchant.modify(order.id, { addItems: [mugs] }, 'pay', 'PartiallyShipped');
    await merchant.ship(order.id, [lineOf(await merchant.order(order.id), 'MUG', 2)]);
    const lines = [lineOf(order, 'SHIRT-S', 1)];
    await merchant.refund(order.id, { lines, shipping: 250, adjustment: 700 });
    // Its file is written after the answer.
    const isSpread = () =>
      this.#engine.query(
        'SELECT 1 FROM refund JOIN payment ON payment.id = paymentId WHERE orderId = ?',
        order.id,
      ).length === 2;
    await this.#check.until('a refund over two payments', isSpread);
  }

  async #buyWithTaxesOnTop(visitor: Visitor): Promise<void> {
    await this.#setTaxesInPrices(false);
    const order = await this.#merchant.buy(visitor, { goods: { 'SHIRT-M': 3, BOOK: 1 } });
    await this.#setTaxesInPrices(true);
    await this.#merchant.ship(order.id);
    await this.#merchant.refund(order.id, { lines: [lineOf(order, 'BOOK', 1)] });
  }

  async #setTaxesInPrices(pricesIncludeTax: boolean): Promise<void> {
    await this.#shop.change('updateChannel', 'UpdateChannelInput', { id: '1', pricesIncludeTax });
  }

  /** Each person buys some times at the same moment as the others; gives the orders that were placed. */
  async #buyMany(
    names: readonly string[],
    times: number,
    goods: Readonly<Record<string, number>> = { MUG: 1, BOOK: 1 },
  ): Promise<readonly PlacedOrder[]> {
    const orders: PlacedOrder[] = [];
    await Promise.allSettled(
      names.map(async (name) => {
        const visitor = await this.#merchant.register(person(name));
        for (let time = 0; time < times; time += 1) {
          orders.push(await this.#merchant.buy(visitor, { goods, pay: 'transfer' }));
        }
      }),
    );
    return orders;
  }

  async #reconcile(isDeep: boolean) {
    const { functions, description, dynamoDb, outputs, shop } = this.#stack;
    const schedule = description.schedules.find(
      ({ input }) => JSON.stringify(input ?? '').includes('deep') === isDeep,
    );
    if (!schedule) throw new Error('reconcile is not scheduled');
    const result = await functions.runSchedule(schedule);
    this.#check.expect(
      `reconcile returned: ${JSON.stringify(result)}`,
      result?.kind === 'returned',
    );
    const ledger = createDynamoDbLedger({ client: dynamoDb, table: outputs.LedgerTable ?? '' });
    const last = await readLastReconcile(ledger, shop.domain);
    const stopped = JSON.stringify([last?.stopped, last?.deep]);
    this.#check.expect(`reconcile ended: ${stopped}`, last?.stopped.length === 0);
    this.#check.say(
      `reconcile looked at ${JSON.stringify(last?.lookedAt)}, healed ${JSON.stringify(last?.healed)}`,
    );
    return last;
  }
}

function lineOf({ lines }: PlacedOrder, sku: string, quantity: number) {
  const line = lines.find((one) => one.sku === sku);
  if (!line) throw new Error(`the order has no ${sku}`);
  return { orderLineId: line.id, quantity };
}

/** The order's entry in the ledger is written. */
const isOf = ({ body }: OutsideCall, id: string): boolean =>
  body.includes('"S":"order|') && body.includes(`|${id}"`);

const holds = ({ body }: OutsideCall, id: string): boolean => body.includes(`"OriginalId":"${id}"`);

const wrap = (price: number) => ({
  description: 'wrapping',
  price,
  priceIncludesTax: true,
  taxRate: 19,
});

const discount = (code: string, cents: number) => ({
  code,
  arguments: [{ name: 'discount', value: String(cents) }],
});
