import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { VendureEngine } from '../../local/vendure-engine/engine.ts';
import { VendureShop } from '../../local/vendure-engine/shop.ts';
import type { PlacedOrder } from '../../local/vendure-engine/shopkeeper.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { readLastReconcile, sumOf } from '../../shared/core/reconcile/last-reconcile.ts';
import { type LocalStack, startLocalStack } from '../support/local-stack.ts';
import { type Merchant, openMerchant } from './merchant.ts';
import { compareWithTables } from './oracle.ts';

const SETTINGS = 'test/fixtures/vendure.config.ts';
const CLOCK_AHEAD = pathToFileURL(`${import.meta.dirname}/clock-ahead.ts`).href;

type Say = (text: string) => void;

/** A day in a shop, with kills of both sides and lost events; the engine's tables say what must come out. Gives the faults. */
export async function playDay(engine: VendureEngine, say: Say): Promise<readonly string[]> {
  const port = String(engine.port);
  process.env.VENDURE_PORT = port;
  const stack = await startLocalStack({
    settings: SETTINGS,
    environmentOf: ({ handler, name }, environment) => ({
      ...environment,
      VENDURE_PORT: port,
      ...(/reconcile/i.test(`${handler} ${name}`) && { NODE_OPTIONS: `--import ${CLOCK_AHEAD}` }),
    }),
  });
  try {
    await shortenVisibility(stack);
    say('the stack runs');
    return await new Day(engine, stack, say).play();
  } finally {
    await engine.kill();
    await stack.stop();
  }
}

/** A message of a killed worker comes back after this time; in a deployment, after 24 minutes. */
const VISIBLE_AGAIN_SECONDS = '30';

async function shortenVisibility({ sqs, description }: LocalStack): Promise<void> {
  const Attributes = { VisibilityTimeout: VISIBLE_AGAIN_SECONDS };
  for (const { url } of description.queues) {
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }));
  }
}

class Day {
  readonly #engine: VendureEngine;
  readonly #stack: LocalStack;
  readonly #say: Say;
  readonly #shop: VendureShop;
  readonly #merchant: Merchant;
  readonly #faults: string[] = [];

  constructor(engine: VendureEngine, stack: LocalStack, say: Say) {
    this.#engine = engine;
    this.#stack = stack;
    this.#say = say;
    this.#shop = new VendureShop(engine.port);
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
    await merchant.refund(invoice.id, { amount: 1000 });
    await this.#compare('a line with its shipping, and amounts, are refunded');

    const burst = this.#buyMany(['dan', 'eve', 'finn', 'gil'], 2);
    await this.#until('an order is stored and not sent', () => this.#engine.unsent('order') > 0);
    await this.#engine.kill();
    const placed = (await burst).length;
    await this.#start();
    await this.#compare(`the engine was killed among purchases, of which ${placed} ended`);

    const [less, more, over, part, gone] = await this.#buyMany(
      ['ada2', 'bo2', 'cy2', 'dan2', 'eve2'],
      1,
      { 'SHIRT-S': 2, BOOK: 1 },
    );
    if (!less || !more || !over || !part || !gone) throw new Error('the shop took no order');
    for (const { id } of [less, more, over, part, gone]) {
      await merchant.ship(id);
      this.#killWorkers();
    }
    await this.#compare('workers were killed while orders were shipped');

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
    this.#killWorkers();
    await this.#compare('orders were modified both ways, and cancelled in part and wholly');

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
    this.#expect('events were lost', this.#differences().length >= 6);
    await this.#reconcile(false);
    await this.#compare('a run of reconcile found what no event had said');
    const again = await this.#reconcile(false);
    this.#expect('a second run heals nothing', sumOf(again?.healed) === 0);
    await this.#engine.kill();
    await this.#engine.start(undefined);
    await merchant.deleteProduct(shirt);
    await merchant.deletePromotion(five);
    await this.#engine.kill();
    await this.#start();
    await this.#reconcile(true);
    await this.#compare('a deep scan found what was deleted unseen');
    const parked = await this.#parked();
    this.#expect(`no message was parked: ${parked}`, parked === 0);
    this.#expect(`nothing was refused: ${this.#stack.problems}`, this.#stack.problems.length === 0);
    return this.#faults;
  }

  async #start(): Promise<void> {
    const { webhookAddress: address, webhookSecret: secret } = this.#stack;
    await this.#engine.start({ address, secret });
  }

  /** Everything is sent and worked on; then nothing may differ. */
  async #compare(after: string): Promise<void> {
    await this.#until('the plugin has sent everything', () => this.#engine.unsent() === 0);
    await this.#stack.settled();
    const differences = this.#differences();
    const problems = differences.length === 0 ? 'same' : `${differences.length} DIFFER`;
    this.#say(`${after}: ${problems}`);
    for (const one of differences) this.#fail(one);
  }

  #differences(): readonly string[] {
    return compareWithTables(this.#engine, this.#stack.loyalty).differences;
  }

  #expect(what: string, isTrue: boolean): void {
    if (!isTrue) this.#fail(`not so: ${what}`);
  }

  #fail(fault: string): void {
    this.#say(`  ${fault}`);
    this.#faults.push(fault);
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

  #killWorkers(): void {
    for (const { of, pid } of this.#stack.functions.processes) {
      if (/sync/i.test(`${of.handler} ${of.name}`)) process.kill(pid, 'SIGKILL');
    }
  }

  async #reconcile(isDeep: boolean) {
    const { functions, description, dynamoDb, outputs, shop } = this.#stack;
    const schedule = description.schedules.find(
      ({ input }) => JSON.stringify(input ?? '').includes('deep') === isDeep,
    );
    if (!schedule) throw new Error('reconcile is not scheduled');
    const result = await functions.runSchedule(schedule);
    this.#expect(`reconcile returned: ${JSON.stringify(result)}`, result?.kind === 'returned');
    const ledger = createDynamoDbLedger({ client: dynamoDb, table: outputs.LedgerTable ?? '' });
    const last = await readLastReconcile(ledger, shop.domain);
    const stopped = JSON.stringify([last?.stopped, last?.deep]);
    this.#expect(`reconcile ended: ${stopped}`, last?.stopped.length === 0);
    this.#say(
      `reconcile looked at ${JSON.stringify(last?.lookedAt)}, healed ${JSON.stringify(last?.healed)}`,
    );
    return last;
  }

  /** In the queues that no function reads. */
  async #parked(): Promise<number> {
    const { description, sqs } = this.#stack;
    const read = new Set(description.eventSources.map(({ queueArn }) => queueArn));
    let parked = 0;
    for (const { url } of description.queues.filter(({ arn }) => !read.has(arn))) {
      const asked = { QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages' as const] };
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
      parked += Number(Attributes?.ApproximateNumberOfMessages);
    }
    return parked;
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const end = Date.now() + 300_000;
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`still not: ${what}\n${this.#engine.log}`);
      await sleep(50);
    }
  }
}

const person = (name: string, phoneNumber?: string) => ({
  emailAddress: `${name}@example.com`,
  firstName: name,
  lastName: 'Example',
  ...(phoneNumber && { phoneNumber }),
});

function lineOf({ lines }: PlacedOrder, sku: string, quantity: number) {
  const line = lines.find((one) => one.sku === sku);
  if (!line) throw new Error(`the order has no ${sku}`);
  return { orderLineId: line.id, quantity };
}

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
