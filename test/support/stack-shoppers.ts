import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { settle } from '../../local/stack/run-stack.ts';
import { issueSessionToken } from '../../local/store-sandbox/session-tokens.ts';
import type { LocalStack } from './local-stack.ts';
import { encode, proxyValues, signedQuery } from './signed-query.ts';

export interface Shopper {
  readonly id: string;
  readonly email: string;
  /** What the test calls this shopper. */
  readonly title: string;
  /** What the page sends, however often it is pressed. */
  readonly click: { readonly rewardId: number; readonly clientKey: string; readonly items: string };
}

/** Nine kills of a worker, one after the other, on a busy machine. */
const PATIENCE = { timeout: 600_000, interval: 100 };
const ITEMS = '8012345678901:100.00:1';

/** A deployment with a storefront, between two sandboxes. */
type ServedStack = Pick<LocalStack, 'store' | 'loyalty' | 'outputs' | 'webhookSecret'> & {
  readonly shop: Pick<LocalStack['shop'], 'path'>;
  /** Then they ask from their account, not through the app proxy. */
  readonly clientId?: string;
};

/** Shoppers of it. What happened is read from the two sandboxes only. */
export function openBuyers(stack: ServedStack) {
  const { actions } = stack.store;
  let count = 0;

  /** What a page of the shop asks for. */
  function request({ id }: Pick<Shopper, 'id'>, name: string, body?: object): Promise<Response> {
    const { domain } = stack.store.shop;
    const own = name === 'rewards' ? { items: ITEMS } : {};
    const { clientId, webhookSecret: secret } = stack;
    const query = clientId
      ? encode(own)
      : signedQuery(proxyValues(domain, new Date(), id, own), secret);
    const address = `${stack.outputs.StorefrontAddress}/${stack.shop.path}`;
    const issue = { shop: domain, clientId: clientId ?? '', secret, now: new Date() };
    const token = issueSessionToken({ kind: 'customer', id }, issue);
    const headers = {
      'content-type': 'application/json',
      ...(clientId && { authorization: `Bearer ${token}` }),
    };
    return fetch(
      `${address}/${clientId ? 'account/' : ''}${name}?${query}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    );
  }

  /** Undefined if not answered with 200. */
  async function ask(shopper: Shopper, name: string, body?: object) {
    const answer = await request(shopper, name, body);
    const text = await answer.text();
    return answer.status === 200 ? JSON.parse(text) : undefined;
  }

  /** What the two sandboxes hold now. */
  function look() {
    const { customers, redemptions } = stack.loyalty.state();
    const { metafields, discounts, codes } = stack.store.state();
    return {
      pointsOf: ({ id }: Shopper) => customers.find(({ OriginalId }) => OriginalId === id)?.points,
      /** As themes show them. */
      shownPoints: ({ id }: Shopper) =>
        metafields.find(
          ({ ownerGid, key }) => ownerGid === `gid://shopify/Customer/${id}` && key === 'points',
        )?.value,
      redemptionsOf: ({ id }: Shopper) => redemptions.filter(({ customerId }) => customerId === id),
      /** The codes that the store takes from this shopper only. */
      codesOf: ({ id }: Shopper) =>
        discounts
          .filter(({ context }) => context.kind === 'customers' && context.ids.includes(id))
          .flatMap(({ id: discount, value, usageLimit }) =>
            codes
              .filter(({ discountId }) => discountId === discount)
              .map(({ code }) => ({ code, value, usageLimit })),
          ),
    };
  }

  return {
    newShopper(title: string): Shopper {
      const number = String(++count).padStart(4, '0');
      const email = `robin.walker${number}@example.com`;
      const person = { firstName: 'Robin', lastName: `Walker${number}`, email };
      const { id } = actions.createCustomer(person);
      const click = { rewardId: 1, clientKey: `click-${number}`, items: ITEMS };
      return { id, email, title, click };
    },

    /** A paid and fulfilled order; returns its id. */
    buy({ id }: Shopper, price: number, code?: string): string {
      const order = actions.placeOrder({
        customerId: id,
        lines: [{ title: 'Kettle', price, quantity: 1 }],
        payment: 'paid',
        taxes: [],
        ...(code !== undefined && { discounts: [{ code }] }),
      });
      actions.fulfilOrder({ orderId: order.id });
      return order.id;
    },

    request,
    ask,

    /** As a shopper who tries again when the page shows an error. */
    async askUntilAnswered(shopper: Shopper, name: string, body?: object) {
      for (const end = Date.now() + 60_000; Date.now() < end; ) {
        const answer = await ask(shopper, name, body);
        if (answer !== undefined) return answer;
        await sleep(500);
      }
      throw new Error(`${shopper.title}: ${name} is not answered`);
    },

    look,
  };
}

/** Shoppers of a local stack. */
export function openShoppers(stack: LocalStack) {
  const buyers = openBuyers(stack);
  const { look } = buyers;
  return {
    ...buyers,

    /** Waits until the service and the metafields of all have these points, and nothing is left to do. */
    async expectPoints(everyone: readonly Shopper[], points: number): Promise<void> {
      const others = () => {
        const { pointsOf, shownPoints } = look();
        return everyone
          .filter((one) => pointsOf(one) !== points || shownPoints(one) !== String(points))
          .map((one) => `${one.title}: ${pointsOf(one)}, shown ${shownPoints(one)}`);
      };
      await expect.poll(others, PATIENCE).toEqual([]);
      expect(await settle(stack, PATIENCE.timeout)).toBe(0);
      expect(others()).toEqual([]);
    },

    /** Waits until each has a code. */
    async expectCodes(everyone: readonly Shopper[]): Promise<void> {
      const others = () => {
        const { codesOf } = look();
        return everyone.filter((one) => codesOf(one).length === 0).map(({ title }) => title);
      };
      await expect.poll(others, PATIENCE).toEqual([]);
    },

    async deadLetters(): Promise<number> {
      const urls = Object.entries(stack.outputs).flatMap(([name, url]) =>
        name.endsWith('DeadLetterQueueUrl') ? [url] : [],
      );
      expect(urls).toHaveLength(4);
      let sum = 0;
      for (const QueueUrl of urls) {
        const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
        const { Attributes } = await stack.sqs.send(asked);
        sum += Number(Attributes?.ApproximateNumberOfMessages);
      }
      return sum;
    },
  };
}
