import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { createSecretsClient, createSqsClient } from '../../../local/harness/sdk-clients.ts';
import { LOYALTY_CREDENTIALS } from '../../support/emulated-world.ts';
import { countMessages, pollOnce } from '../../support/event-source.ts';
import type { Addresses, OutsideLine, Treat } from '../../support/outside-line.ts';
import { openBalances } from '../../support/running-balances.ts';
import type { runConnectors } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';
import { type Click, openProcesses, type Shopper } from './processes.ts';

export interface PointPayload {
  readonly Customer: Readonly<Record<string, unknown>>;
  readonly EventDate: string;
}

export type RedeemWorld = Awaited<ReturnType<typeof openRedeemWorld>>;

/**
 * A store, a loyalty service, real queues and a ledger, and between them functions whose every outside call
 * goes over a line that a test may cut. What happened is read from the two services, never from the ledger.
 */
export async function openRedeemWorld(
  connectors: ReturnType<typeof runConnectors>,
  storefront: Parameters<typeof openBalances>[1] = {},
) {
  const { store, connector, stop } = await openStoreAndConnector(connectors, { seed: 7 });
  const balances = await openBalances(connector, storefront);
  const { loyalty } = connector;
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const sqs = createSqsClient({ budget });
  const secrets = createSecretsClient({ budget });
  const environment = { ...process.env };
  const queueUrl = environment.BALANCES_QUEUE_URL ?? '';
  const deadLetterUrl = environment.DEAD_LETTER_QUEUE_URL ?? '';
  const targets: Addresses = {
    ledger: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    queue: environment.AWS_ENDPOINT_URL_SQS ?? '',
    secrets: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '',
    loyalty: loyalty.address,
    store: store.address,
  };
  const processes = openProcesses({ targets, environment, storefront });
  const { startStorefront, startReceiver, reconcile } = processes;
  const startWorker = (treat?: Treat) =>
    processes.startWorker((worker) => {
      connector.pass(0.05);
      return pollOnce(sqs, queueUrl, worker, 'sync-balances');
    }, treat);
  let shoppers = 0;
  let clicks = 0;

  async function callLoyalty(method: string, path: string, body?: unknown): Promise<unknown> {
    const { token, key } = LOYALTY_CREDENTIALS;
    const answer = await fetch(`${loyalty.address}/v1/pvt${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await answer.json()) as { readonly HasError?: boolean };
    if (json.HasError) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json;
  }

  const world = {
    store,
    connector,
    loyalty,
    balances,
    startStorefront,
    startWorker,
    startReceiver,
    reconcile,
    callLoyalty,
    pass: connector.pass,

    /** A new click on a reward, with the cart of the page. */
    click: (rewardId = 1, more: Partial<Click> = {}): Click => ({
      rewardId,
      clientKey: `click-${String(++clicks).padStart(6, '0')}`,
      items: '8012345678901:100.00:1',
      ...more,
    }),

    /** Known to both sides, with points from an order of the past. */
    async shopper({ points = 250, document = '', hasEmail = true } = {}): Promise<Shopper> {
      const number = ++shoppers;
      const email = hasEmail ? `robin.sampleson${number}@example.com` : '';
      connector.confidential.addPersonal({ customer: { email, document } });
      const { id } = store.actions.createCustomer({
        firstName: 'Robin',
        lastName: `Sampleson${number}`,
        ...(email && { email }),
      });
      const shopper = { id, email };
      await callLoyalty('POST', '/Customer/upsert', {
        OriginalId: id,
        Name: `Robin Sampleson${number}`,
        Email: email || null,
        Document: document || null,
      });
      if (points > 0) await world.give(shopper, points);
      return shopper;
    },

    /** Points by a completed order that only the loyalty service knows. */
    async give({ id, email }: Shopper, points: number): Promise<void> {
      const at = new Date().toISOString();
      await callLoyalty('POST', '/POS/orders', {
        OriginalId: `earlier-${id}-${++clicks}`,
        OrderPlacementDate: new Date(Date.now() - 3_600_000).toISOString(),
        OrderCompletedDate: at,
        OrderStatus: 'completed',
        IsCancelledOrReturned: false,
        IsCompleted: true,
        OrderTotal: points,
        Customer: { OriginalId: id, ...(email && { Email: email }) },
        UpdatedDate: at,
      });
    },

    /** Works until the queue is empty, letting time pass where messages wait. */
    async rest(treat?: Treat, afterDeath?: Treat): Promise<OutsideLine> {
      let worker = await startWorker(treat);
      const first = worker.line;
      for (let round = 0; round < 3_000; round += 1) {
        const done = await worker.work();
        if (done === 'killed') worker = await startWorker(afterDeath);
        else if (done === 0) {
          if ((await countMessages(sqs, queueUrl)) === 0) return first;
          connector.pass(45);
        }
      }
      throw new Error('the queue of balances does not empty');
    },

    /** Works for so long, whether the queue empties or not. */
    async workFor(minutes: number, treat?: Treat): Promise<OutsideLine> {
      const worker = await startWorker(treat);
      const end = Date.now() + minutes * 60_000;
      const step = Math.max(minutes, 15);
      while (Date.now() < end) if ((await worker.work()) === 0) connector.pass(step);
      return worker.line;
    },

    deadLetters: () => countMessages(sqs, deadLetterUrl),

    /** The tokens of point events, as the secret of the shop holds them. */
    async keepPointTokens(fields: unknown): Promise<void> {
      const SecretId = `${connector.name}/example-store/points`;
      const SecretString = JSON.stringify(fields);
      await secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
    },

    /** What a theme sees of the customer. */
    metafieldsOf({ id }: Shopper): Readonly<Record<string, string>> {
      const own = store
        .state()
        .metafields.filter(({ ownerGid }) => ownerGid === `gid://shopify/Customer/${id}`);
      return Object.fromEntries(own.map(({ key, value }) => [key, value]));
    },

    /** The customer’s point events, oldest first. */
    eventsOf: ({ id }: Shopper) =>
      loyalty.events.all().flatMap(({ topic, payload }) => {
        const event = payload as PointPayload;
        return event.Customer.Id === id ? [{ topic, payload: event }] : [];
      }),

    pointsOf: ({ id }: Shopper) =>
      loyalty.state().customers.find(({ OriginalId }) => OriginalId === id)?.points,

    /** What the service holds, cancelled ones too. */
    redemptionsOf: ({ id }: Shopper) =>
      loyalty.state().redemptions.filter(({ customerId }) => customerId === id),

    /** The codes that the store would take from this customer. */
    codesOf({ id }: Shopper) {
      const { discounts, codes } = store.state();
      const own = discounts.filter(
        ({ context }) => context.kind === 'customers' && context.ids.includes(id),
      );
      return own.flatMap((discount) =>
        codes
          .filter(({ discountId }) => discountId === discount.id)
          .map(({ code }) => ({ code, discount })),
      );
    },

    /** What reached the service, answered or not. */
    callsOf: (operation: 'redeemRewardByKey' | 'cancelRedemption' | 'cancelRedemptionByKey') =>
      loyalty.journal.entries({ operation }),

    async stop(): Promise<void> {
      await processes.close();
      await stop();
    },
  };
  return world;
}
