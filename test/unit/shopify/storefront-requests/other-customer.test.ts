import { describe, expect, it } from 'vitest';
import { routes } from '../../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { type Asking, SECRET, SHOP, serveInProcess } from '../../../support/served-storefront.ts';
import { proxyValues, signedQuery } from '../../../support/signed-query.ts';

const MINE = '7000001';
const THEIRS = '7000002';
/** Names under which a program might read a customer's id. */
const NAMES = [
  ...[
    'logged_in_customer_id',
    'customer_id',
    'customerId',
    'CustomerId',
    'customer',
    'Customer',
    'id',
    'OriginalId',
  ],
  ...[
    'logged_in_customer_id[]',
    'LOGGED_IN_CUSTOMER_ID',
    '__proto__',
    'constructor',
    'prototype',
    'user',
    'shop',
  ],
];
const HEADERS = [
  ...[
    'x-shopify-customer-id',
    'x-customer-id',
    'customer-id',
    'logged_in_customer_id',
    'authorization',
    'cookie',
  ],
  ...['x-forwarded-for', 'x-original-url', 'x-rewrite-url', 'x-http-method-override', 'referer'],
];
const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  redeem: { rewardId: 1, clientKey: 'click-0001' },
  'take-back': { redemptionId: 'AAAABBBBCCCC' },
};
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  points: { items: '11:19.90:1', currency: 'EUR' },
  order: { id: '1' },
};

interface Attack {
  readonly way: string;
  readonly path: string;
  readonly asking: Asking;
}

/** Requests to an endpoint with the other customer's id in every place that can hold one. */
function attacksOn(name: string, now: Date): readonly Attack[] {
  const body = BODIES[name];
  const own = OWN[name] ?? {};
  const plain: Asking = { customerId: MINE, own, ...(body && { body }) };
  const signed = (values: Parameters<typeof signedQuery>[0]) => signedQuery(values, SECRET);
  const values = proxyValues(SHOP, now, MINE, own);
  return [
    ...NAMES.flatMap((key): Attack[] => {
      const more = { ...values, [key]: key in values ? [MINE, THEIRS] : THEIRS };
      const query = signed(values);
      return [
        { way: `signed parameter ${key}`, path: name, asking: { ...plain, query: signed(more) } },
        {
          way: `unsigned parameter ${key} behind`,
          path: name,
          asking: { ...plain, query: `${query}&${key}=${THEIRS}` },
        },
        {
          way: `unsigned parameter ${key} in front`,
          path: name,
          asking: { ...plain, query: `${key}=${THEIRS}&${query}` },
        },
      ];
    }),
    {
      way: 'the other’s id under my signature',
      path: name,
      asking: { ...plain, query: signed(values).replace(MINE, THEIRS) },
    },
    ...[
      `${name}/${THEIRS}`,
      `${THEIRS}/${name}`,
      `${name};id=${THEIRS}`,
      `${name}%3F${THEIRS}`,
    ].map((path): Attack => ({ way: `path ${path}`, path, asking: plain })),
    ...HEADERS.map(
      (header): Attack => ({
        way: `header ${header}`,
        path: name,
        asking: { ...plain, headers: { [header]: THEIRS } },
      }),
    ),
    ...NAMES.map((key): Attack => {
      // As text: an object literal would drop __proto__.
      const fields = Object.entries(body ?? {}).map(
        ([one, value]) => `${JSON.stringify(one)}:${JSON.stringify(value)}`,
      );
      const text = `{${[...fields, `${JSON.stringify(key)}:"${THEIRS}"`].join(',')}}`;
      return {
        way: `field ${key} of the body`,
        path: name,
        asking: { ...plain, body: text, method: body ? 'POST' : 'GET' },
      };
    }),
  ];
}

describe('the id of another customer', () => {
  it.each([...routes.keys()])(
    'gives no access to their data at %s, in any place of a request',
    async (name) => {
      const shop = serveInProcess({ readsPerMinute: 1_000 });
      await shop.enroll(MINE, 30);
      await shop.enroll(THEIRS, 4_321);
      await shop.remember(MINE, '30', '0.3', 'Bronze');
      await shop.remember(THEIRS, '4321', '43.21', 'Gold');
      const read: string[] = [];
      const { ledger } = shop.parts;
      shop.parts.ledger = {
        ...ledger,
        readMany: (keys) => {
          // Whose an order is, only its entry says.
          read.push(...keys.flatMap(({ kind, id }) => (kind === 'order' ? [] : [id])));
          return ledger.readMany(keys);
        },
        write: (key, entry, revision) => {
          read.push(key.id);
          return ledger.write(key, entry, revision);
        },
      };
      const before = shop.loyalty.journal.length;
      const statuses = new Set<number>();
      const attacks = attacksOn(name, new Date(shop.clock.ms));
      for (const { way, path, asking } of attacks) {
        const { status, body, headers } = await shop.ask(path, asking);
        statuses.add(status);
        const output = `${body}${JSON.stringify(headers)}`;
        const secrets = [THEIRS, '4321', '43.21', '"name":"Gold"'];
        expect([way, secrets.filter((text) => output.includes(text))]).toEqual([way, []]);
      }
      const calls = shop.loyalty.journal.slice(before);
      expect(
        JSON.stringify(calls.map(({ path, query, body }) => [path, query, body])),
      ).not.toContain(THEIRS);
      expect(read.filter((id) => id.includes(THEIRS))).toEqual([]);
      const acted = [...shop.redeemed, ...shop.takenBack];
      expect(acted.filter(({ customerId }) => customerId !== MINE)).toEqual([]);
      expect(JSON.stringify(shop.telemetry.logged)).not.toContain(THEIRS);
      // Headers are ignored, so requests with the id in a header are answered; all others are refused.
      expect([...statuses].filter((status) => ![200, 400, 401, 404, 503].includes(status))).toEqual(
        [],
      );
      expect(statuses).toContain(401);
      expect(attacks.length).toBeGreaterThan(60);
    },
  );
});

describe('an unknown parameter or field', () => {
  it.each([...routes.keys()])('is refused at %s, although it is signed', async (name) => {
    const shop = serveInProcess();
    const own = OWN[name] ?? {};
    const body = BODIES[name];
    const plain = { customerId: MINE, ...(body && { body }) };
    const unknown = [400, 'unknown-field'];
    const parameter = await shop.ask(name, { ...plain, own: { ...own, customerId: THEIRS } });
    expect([parameter.status, parameter.json.error.code]).toEqual(unknown);
    if (body) {
      const field = await shop.ask(name, { ...plain, body: { ...body, customerId: THEIRS } });
      expect([field.status, field.json.error.code]).toEqual(unknown);
    }
    expect(shop.redeemed).toEqual([]);
    expect(shop.loyalty.journal).toEqual([]);
  });
});
