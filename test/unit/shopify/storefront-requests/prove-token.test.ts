import { createHmac } from 'node:crypto';
import { shopifyApi } from '@shopify/shopify-api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import '@shopify/shopify-api/adapters/node';
import {
  claimsOf,
  issueSessionToken,
  signToken,
  type TokenClaims,
} from '../../../../local/store-sandbox/session-tokens.ts';
import {
  LEEWAY_SECONDS,
  proveToken,
  type TokenHolder,
} from '../../../../shared/shopify/storefront-requests/caller.ts';
import { CLIENT_ID, SECRET, SHOP } from '../../../support/served-storefront.ts';

const NOW = new Date('2026-10-09T12:00:00.400Z');
const AT = Math.floor(NOW.getTime() / 1000);
const issue = { shop: SHOP, clientId: CLIENT_ID, secret: SECRET, now: NOW };
const customer = { kind: 'customer', id: '7001' } as const;
const staff = { kind: 'staff', id: '42' } as const;

const app = { shop: SHOP, clientId: CLIENT_ID };

function prove(token: string, wanted: TokenHolder['kind'] = 'customer', now = NOW) {
  return proveToken(`Bearer ${token}`, wanted, app, { current: SECRET }, now);
}

/** The claims of a customer, with some of them changed; `undefined` leaves one out. */
const changed = (claims: TokenClaims) =>
  signToken({ ...claimsOf(customer, issue), ...claims }, SECRET);

function whyNot(token: string, wanted?: TokenHolder['kind']) {
  const proof = prove(token, wanted);
  return proof.kind === 'refused' ? proof.why : proof.kind;
}

describe('the session token of an extension', () => {
  it('names its customer, its member of staff, or a visitor who is not logged in', () => {
    for (const holder of [customer, { kind: 'customer', id: undefined } as const, staff]) {
      const proof = prove(issueSessionToken(holder, issue), holder.kind);
      expect(proof).toEqual({ kind: 'proved', holder, by: 'current' });
    }
  });

  it('is accepted with the secret before the current one, and says so', () => {
    const secrets = { current: 'newer-secret', previous: SECRET };
    const bearer = `Bearer ${issueSessionToken(customer, issue)}`;
    expect(proveToken(bearer, 'customer', app, secrets, NOW)).toMatchObject({ by: 'previous' });
    const only = { current: 'newer-secret' };
    expect(proveToken(bearer, 'customer', app, only, NOW)).toMatchObject({ why: 'signature' });
  });

  it('must be for this app: one id, not a list that holds it', () => {
    for (const aud of ['another-app', `${CLIENT_ID} `, '', undefined, null, [CLIENT_ID], 0]) {
      expect([aud, whyNot(changed({ aud }))]).toEqual([aud, 'other-app']);
    }
  });

  it('must be for the shop of the address, by each of the claims that name one', () => {
    const others = [
      ...['second-store.myshopify.com', `${SHOP}.evil.example`, `evil-${SHOP}`, `${SHOP}/`, ''],
      ...[`http://${SHOP}`, `https://${SHOP}.evil.example`, `https://user@${SHOP}`, null, 7],
    ];
    for (const dest of [...others, undefined]) {
      expect([dest, whyNot(changed({ dest }))]).toEqual([dest, 'other-shop']);
    }
    for (const iss of [...others.map((one) => `${one}/admin`), ...others]) {
      expect([iss, whyNot(changed({ iss }))]).toEqual([iss, 'other-shop']);
    }
    for (const iss of [`https://${SHOP}`, `https://${SHOP}/admin`, `https://${SHOP}/checkouts`]) {
      expect([iss, whyNot(changed({ iss }))]).toEqual([iss, 'proved']);
    }
  });

  it('is valid from `nbf` to `exp`, with the leeway of two clocks, and never without them', () => {
    const expired = { exp: AT - LEEWAY_SECONDS };
    const early = { nbf: AT + LEEWAY_SECONDS + 1 };
    expect(whyNot(changed(expired))).toBe('expired');
    expect(whyNot(changed({ exp: AT - LEEWAY_SECONDS + 1 }))).toBe('proved');
    expect(whyNot(changed(early))).toBe('not-yet-valid');
    expect(whyNot(changed({ nbf: AT + LEEWAY_SECONDS }))).toBe('proved');
    for (const time of [undefined, null, `${AT + 60}`, '', {}, true]) {
      expect([time, whyNot(changed({ exp: time }))]).toEqual([time, 'expired']);
      expect([time, whyNot(changed({ nbf: time }))]).toEqual([time, 'not-yet-valid']);
    }
    const token = issueSessionToken(customer, issue);
    expect(prove(token, 'customer', new Date(NOW.getTime() + 311_000))).toMatchObject({
      why: 'expired',
    });
  });

  it('names a customer in one form only', () => {
    const wrong = [
      ...['gid://shopify/Order/7001', 'gid://shopify/StaffMember/42', 'gid://shopify/Customer/'],
      ...['gid://shopify/Customer/0', 'gid://shopify/Customer/07', 'gid://shopify/Customer/7001 '],
      ...['gid://shopify/Customer/7001/8002', 'gid://shopify/Customer/7001?x=1', '7001', ''],
      ...[
        'gid://shopify/customer/7001',
        'x gid://shopify/Customer/7001',
        `gid://shopify/Customer/7\n`,
      ],
      ...[
        null,
        7001,
        ['gid://shopify/Customer/7001'],
        {},
        `gid://shopify/Customer/${'9'.repeat(20)}`,
      ],
    ];
    for (const sub of wrong) {
      expect([sub, whyNot(changed({ sub }))]).toEqual([sub, 'other-holder']);
      if (sub !== '7001') {
        expect([sub, whyNot(changed({ sub }), 'staff')]).toEqual([sub, 'other-holder']);
      }
    }
  });

  it('of a customer is none of staff, of staff none of a customer, of a visitor none of staff', () => {
    expect(whyNot(issueSessionToken(customer, issue), 'staff')).toBe('other-holder');
    expect(whyNot(issueSessionToken(staff, issue), 'customer')).toBe('other-holder');
    expect(whyNot(issueSessionToken({ ...customer, id: undefined }, issue), 'staff')).toBe(
      'other-holder',
    );
  });
});

describe('a token that Shopify did not sign', () => {
  const claims = claimsOf(customer, issue);

  it('is refused with `alg: none`, signed or not', () => {
    for (const alg of ['none', 'None', 'NONE', '', undefined, null]) {
      const [head, payload] = signToken(claims, SECRET, { alg, typ: 'JWT' }).split('.');
      expect(whyNot(`${head}.${payload}.`)).toBe('unreadable');
      expect(whyNot(`${head}.${payload}`)).toBe('unreadable');
      expect(whyNot(`${head}.${payload}.bm9uZQ`)).toBe('signature');
      expect(whyNot(signToken(claims, SECRET, { alg, typ: 'JWT' }))).toBe('algorithm');
    }
  });

  it('is refused for another algorithm, also with our secret as its key', () => {
    for (const alg of ['RS256', 'HS384', 'HS512', 'ES256', 'PS256', 'EdDSA', 'hs256', ['HS256']]) {
      expect([alg, whyNot(signToken(claims, SECRET, { alg }))]).toEqual([alg, 'algorithm']);
    }
    const crit = signToken(claims, SECRET, { alg: 'HS256', crit: ['b64'], b64: false });
    expect(whyNot(crit)).toBe('algorithm');
  });

  it('is refused with the secret of another shop, an empty one, and a key that it brings along', () => {
    const own = { k: Buffer.from('mine').toString('base64url'), kty: 'oct' };
    const header = { alg: 'HS256', jwk: own, kid: '../../dev/null', jku: 'https://evil.example' };
    for (const secret of ['secret-of-another-shop', '', 'mine']) {
      expect(whyNot(signToken(claims, secret))).toBe('signature');
      expect(whyNot(signToken(claims, secret, header))).toBe('signature');
    }
  });

  it('is refused when a part was changed or spelled in another way', () => {
    const token = issueSessionToken(customer, issue);
    const [head = '', , signature = ''] = token.split('.');
    const theirs = signToken(claimsOf({ ...customer, id: '8002' }, issue), 'x').split('.')[1];
    expect(whyNot(`${head}.${theirs}.${signature}`)).toBe('signature');
    for (const other of [
      `${token}=`,
      `${token}.`,
      `.${token}`,
      ` ${token}`,
      `${token} `,
      '..',
      '',
    ]) {
      expect([other, whyNot(other)]).toEqual([other, 'unreadable']);
    }
    // The last character of a signature has two bits that decoding ignores.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = letters.indexOf(token.at(-1) ?? '');
    const twin = `${token.slice(0, -1)}${letters[last ^ 1]}`;
    expect(Buffer.from(twin, 'base64url')).toEqual(Buffer.from(token, 'base64url'));
    expect(whyNot(twin)).toBe('signature');
  });

  it('is refused when it is no JSON object, no UTF-8, or too long', () => {
    for (const value of [null, 'text', 7, []]) {
      const why = whyNot(signToken(value, SECRET));
      expect([value, why]).toEqual([value, Array.isArray(value) ? 'other-app' : 'unreadable']);
    }
    const bytes = (text: Uint8Array) => Buffer.from(text).toString('base64url');
    const signed = (text: string) => {
      const whole = signToken(claims, SECRET).split('.')[0];
      const body = `${whole}.${text}`;
      return `${body}.${createHmac('sha256', SECRET).update(body).digest('base64url')}`;
    };
    expect(whyNot(signed(bytes(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))))).toBe('unreadable');
    expect(whyNot(signed(bytes(Buffer.from('{"aud":'))))).toBe('unreadable');
    expect(whyNot(changed({ more: 'x'.repeat(4_000) }))).toBe('unreadable');
    expect(whyNot(changed({ more: 'x'.repeat(1_000) }))).toBe('proved');
  });

  it('is refused behind any other header than one Bearer token', () => {
    const token = issueSessionToken(customer, issue);
    const whyOf = (header: string | undefined) => {
      const proof = proveToken(header, 'customer', app, { current: SECRET }, NOW);
      return proof.kind === 'refused' ? proof.why : proof.kind;
    };
    expect(whyOf(undefined)).toBe('no-token');
    for (const header of [
      ...['', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer  ${token}`, `Bearer\t${token}`],
      ...[`Bearer ${token},Bearer ${token}`, `Bearer ${token}, Bearer ${token}`, `Token ${token}`],
      ...[`Bearer ${token}\n`, `Bearer "${token}"`, `Basic x,Bearer ${token}`],
    ]) {
      expect([header, whyOf(header)]).toEqual([header, 'unreadable']);
    }
    expect(whyOf(`bearer ${token}`)).toBe('proved');
  });
});

describe("Shopify's own library", () => {
  const library = shopifyApi({
    ...{ apiKey: CLIENT_ID, apiSecretKey: SECRET, hostName: 'example.com', scopes: [] },
    ...{ apiVersion: '2026-10' as never, isEmbeddedApp: false, logger: { log: () => {} } },
  });
  // It reads the time of the process, and five seconds decide.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
  afterEach(() => void vi.useRealTimers());

  it('accepts what we accept and refuses what we refuse', async () => {
    const claims = claimsOf(customer, issue);
    const tokens = [
      ...[customer, staff].map((user) => issueSessionToken(user, issue)),
      signToken({ ...claims, aud: 'another-app' }, SECRET),
      signToken({ ...claims, exp: AT - 60 }, SECRET),
      signToken({ ...claims, exp: AT - 5 }, SECRET),
      signToken({ ...claims, nbf: AT + 60 }, SECRET),
      signToken({ ...claims, nbf: AT + 5 }, SECRET),
      signToken(claims, 'another-secret'),
      ...['none', 'RS256', 'HS512'].map((alg) => signToken(claims, SECRET, { alg })),
      signToken(claims, SECRET, { alg: 'HS256', crit: ['b64'] }),
      ...['', 'a.b.c', 'a.b', issueSessionToken(customer, issue).slice(0, -1)],
    ];
    const verdicts = new Set<boolean>();
    for (const token of tokens) {
      const theirs = await library.session.decodeSessionToken(token).then(
        () => true,
        () => false,
      );
      const ours = (['customer', 'staff'] as const).some(
        (wanted) => prove(token, wanted).kind === 'proved',
      );
      expect([token, ours]).toEqual([token, theirs]);
      verdicts.add(theirs);
    }
    expect(verdicts).toEqual(new Set([true, false]));
  });

  it('reads the same customer out of a token that we accept', async () => {
    const payload = await library.session.decodeSessionToken(issueSessionToken(customer, issue));
    expect(payload).toMatchObject({ sub: 'gid://shopify/Customer/7001', dest: SHOP });
  });
});
