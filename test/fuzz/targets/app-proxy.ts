import type { Random } from '../../../local/sandbox-kit/seeded-random.ts';
import { type QueryPairs, signQuery } from '../../../shared/shopify/storefront-requests/caller.ts';
import { routes } from '../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { SECRET, SHOP } from '../../support/served-storefront.ts';
import { chance, expectLaw, type FuzzInput, type FuzzTarget, pick } from '../fuzz-target.ts';
import { openFuzzedStorefront } from '../fuzzed-storefront.ts';
import { HOSTILE_KEYS, HOSTILE_TEXTS, makeBody, toTree } from '../make-body.ts';

const CUSTOMER = '7001';
const BODIES = [{ rewardId: 1, clientKey: 'click-0001' }, { redemptionId: 'AAAABBBBCCCC' }].map(
  toTree,
);
const NAMES = [...routes.keys(), 'widget.js'];

/** Requests through Shopify's app proxy: a shopper chooses all but four parameters and the signature. */
export function createTarget(): FuzzTarget {
  const storefront = openFuzzedStorefront();
  return {
    make: makeRequest,
    async run({ body, parts: { path = '', method = '', pairs = '[]', type = '' } }) {
      const shop = storefront.next();
      const chosen = readPairs(pairs);
      const own = ownOf(shop.clock.ms);
      const query = new URLSearchParams(
        [...chosen, ...own].map(([key, value]): [string, string] => [key, value]),
      );
      query.append('signature', signQuery([...query], SECRET));
      const headers = { 'content-type': type };
      const answer = await storefront.ask(path, body, { method, query: String(query), headers });
      expectLaw(answer.body.length < 100_000, 'an answer is of a size that a page can take');
      for (const { customerId } of shop.redeemed) {
        expectLaw(customerId === CUSTOMER, 'no request redeems for another customer');
      }
      const caching = answer.headers['cache-control'] ?? '';
      const isPublic = /\/(?:points|widget\.js)$/.test(path);
      expectLaw(
        isPublic || caching === 'private, no-store',
        'no cache keeps the answer for a customer',
      );
      return `status ${answer.status}`;
    },
  };
}

function makeRequest(random: Random): FuzzInput {
  const name = pick(random, NAMES);
  const method = routes.get(name)?.method ?? 'GET';
  const chosen: [string, string][] = [];
  if (name === 'points') {
    chosen.push([
      'items',
      chance(random, 0.5) ? '8012345678901:59.90:2' : pick(random, HOSTILE_TEXTS),
    ]);
    chosen.push(['currency', chance(random, 0.8) ? 'EUR' : pick(random, HOSTILE_TEXTS)]);
  }
  if (chance(random, 0.25)) chosen.push(hostilePair(random));
  return {
    body: makeBody(BODIES[name === 'answer' ? 1 : 0] ?? null, random),
    parts: {
      path: chance(random, 0.95)
        ? `/example-store/${name}`
        : `/example-store/${pick(random, HOSTILE_TEXTS)}`,
      method: chance(random, 0.95) ? method : pick(random, ['PUT', 'post', '']),
      type: chance(random, 0.9) ? 'application/json' : pick(random, HOSTILE_TEXTS),
      pairs: JSON.stringify(chosen),
    },
  };
}

/** Names with which a shopper may try to imitate Shopify's own parameters. */
const FORGED = [
  'logged_in_customer_id',
  'logged_in_customer_id=2path_prefix',
  'shop',
  'timestamp',
  'signature',
  'customerId',
  'path_prefix',
];

function hostilePair(random: Random): [string, string] {
  const key = chance(random, 0.6) ? pick(random, FORGED) : pick(random, HOSTILE_KEYS);
  return [key, chance(random, 0.4) ? '8002' : pick(random, HOSTILE_TEXTS)];
}

/** Shopify's own four; it is not known whether Shopify replaces a shopper's parameter of the same name. */
function ownOf(nowMs: number): QueryPairs {
  return [
    ['shop', SHOP],
    ['path_prefix', '/apps/loyalty'],
    ['timestamp', String(Math.floor(nowMs / 1000))],
    ['logged_in_customer_id', CUSTOMER],
  ];
}

function readPairs(text: string): QueryPairs {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isPair) : [];
  } catch {
    return [];
  }
}

function isPair(value: unknown): value is [string, string] {
  return (
    Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string')
  );
}
