import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoyaltyClient, type LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { CallSender } from '../../../shared/loyalty/result.ts';
import { type ScriptedServer, startScriptedServer } from '../../support/scripted-server.ts';

const credentials = { token: 'token-of-example', key: 'key-of-example' };
let server: ScriptedServer;
let client: LoyaltyClient;
beforeAll(async () => {
  server = await startScriptedServer();
  client = createLoyaltyClient({ baseUrl: server.url, credentials });
});
afterAll(() => server.stop());

/** A client whose calls all get the same answer, without a network. */
function clientHearing(status: number, headers: Record<string, string>, text: string) {
  const http: CallSender = {
    send: async () => ({ kind: 'answer', status, headers, text }),
  };
  return createLoyaltyClient({ http, credentials });
}

/** Half surrogate pairs included. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '.',
    '..',
    '../..',
    '%2e%2e',
    '/',
    '//',
    '?',
    '#',
    '&=',
    '%',
    '%zz',
    '\ud83d',
    '🎁',
  ),
);

describe('any value that is sent', () => {
  const routes: [string, RegExp, (id: string) => Promise<unknown>][] = [
    ['PUT', /^\/v1\/pvt\/Product\/([^/?#]+)$/, (id) => client.updateProduct(id, {})],
    ['GET', /^\/v1\/pvt\/Customer\/([^/?#]+)$/, (id) => client.getCustomer(id)],
    [
      'POST',
      /^\/v1\/pvt\/Customer\/([^/?#]+)\/cashback$/,
      (id) => client.changeCashback(id, { Reason: 'r' }),
    ],
    ['POST', /^\/v1\/pvt\/Coupons\/([^/?#]+)\/inactive$/, (id) => client.deactivateCoupon(id)],
    ['POST', /^\/v1\/pvt\/POS\/orders\/([^/?#]+)\/cancel$/, (id) => client.cancelPosOrder(id, {})],
    ['POST', /^\/v1\/pvt\/Order\/([^/?#]+)\/cancel$/, (id) => client.cancelOrder(id, {})],
    [
      'GET',
      /^\/v1\/pvt\/Quiz\/list\?customerId=([^/?#&=]+)$/,
      (id) => client.listQuizzes({ customerId: id }),
    ],
  ];

  async function idOnTheWire([method, route, send]: (typeof routes)[number], id: string) {
    server.received.length = 0;
    await send(id);
    expect(server.received.map((request) => request.method)).toEqual([method]);
    const segment = route.exec(server.received[0]?.url ?? '')?.[1] ?? 'another route';
    expect(server.received[0]?.url).not.toMatch(/\/\.{1,2}(\/|$)/);
    return decodeURIComponent(segment);
  }

  it('an id reaches only its own route, unchanged', async () => {
    const ids = anyText.filter((id) => id.trim() !== '');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), ids, async (route, id) => {
        expect(await idOnTheWire(route, id)).toBe(id.toWellFormed());
      }),
      { numRuns: 300 },
    );
  });

  it('a text arrives unchanged, and nothing is thrown', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        server.received.length = 0;
        await client.sendOrder({ OriginalId: text, Customer: { Name: text } });
        const body = JSON.parse(server.received[0]?.body ?? '');
        expect(body).toEqual({ OriginalId: text, Customer: { Name: text } });
      }),
      { numRuns: 100 },
    );
  });
});

describe('personal data', () => {
  /** Without stars, so that the mask itself is not found as a hidden text. */
  const personal = fc
    .string({ unit: 'grapheme', minLength: 4, maxLength: 30 })
    .filter((text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim().length >= 4 && !/[*…]/.test(text));
  const person = fc.record({
    OriginalId: personal,
    Name: personal,
    Email: fc.oneof(personal, fc.emailAddress()),
    Phone: personal,
    Document: personal,
    BirthdayDate: personal,
  });
  const calls: ((loyalty: LoyaltyClient, texts: Record<string, string>) => Promise<object>)[] = [
    (loyalty, texts) => loyalty.sendOrder({ Customer: texts }),
    (loyalty, texts) =>
      loyalty.createCoupon({ CustomerId: texts.OriginalId ?? '', Customer: texts }),
    (loyalty, texts) => loyalty.getCustomer(texts.OriginalId ?? ''),
    (loyalty, texts) => loyalty.listQuizzes({ customerId: texts.OriginalId ?? '' }),
    (loyalty, texts) => loyalty.redeemReward(1, { CustomerId: texts.OriginalId ?? '' }),
    (loyalty, texts) =>
      loyalty.changeCashback(texts.OriginalId ?? '', { Reason: texts.Name ?? '' }),
  ];
  const carried = [
    ['OriginalId', 'Name', 'Email', 'Phone', 'Document', 'BirthdayDate'],
    ['OriginalId', 'Name', 'Email', 'Phone', 'Document', 'BirthdayDate'],
    ['OriginalId'],
    ['OriginalId'],
    ['OriginalId'],
    ['OriginalId', 'Name'],
  ];

  it('never appears in a message, in any form in which the service repeats it', async () => {
    await fc.assert(
      fc.asyncProperty(
        person,
        fc.nat(calls.length - 1),
        fc.array(fc.string({ maxLength: 10 }), { minLength: 6, maxLength: 6 }),
        fc.constantFrom(200, 400, 500),
        async (texts, which, glue, status) => {
          const echo = Object.values(texts)
            .map((text, at) => `${glue[at]}${text}`)
            .join('');
          const body = {
            HasError: true,
            ErrorMessage: echo,
            ErrorMessages: [echo, texts.Name],
            CodeName: texts.Name,
            ErrorDescriptions: [{ Description: 7, Field: texts.Email, FieldText: echo }],
          };
          const headers = { 'content-type': texts.Name };
          const loyalty = clientHearing(status, headers, JSON.stringify(body));
          const untouched = inspect(loyalty, { depth: 9, showHidden: true });
          const result = (await calls[which]?.(loyalty, texts)) as Record<string, unknown>;
          const shown = [result.message, ...((result.fields as string[] | undefined) ?? [])];
          for (const name of carried[which] ?? []) {
            const text = texts[name as keyof typeof texts];
            for (const line of shown) expect(String(line).includes(text)).toBe(false);
          }
          expect(inspect(loyalty, { depth: 9, showHidden: true })).toBe(untouched);
        },
      ),
      { numRuns: 500 },
    );
  });
});
