import type { Random } from '../../../local/sandbox-kit/seeded-random.ts';
import {
  claimsOf,
  signToken,
  type TokenUser,
} from '../../../local/store-sandbox/session-tokens.ts';
import {
  routes,
  tillRoutes,
} from '../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { CLIENT_ID, SECRET, SHOP } from '../../support/served-storefront.ts';
import { chance, expectLaw, type FuzzInput, type FuzzTarget, pick } from '../fuzz-target.ts';
import { openFuzzedStorefront } from '../fuzzed-storefront.ts';
import { HOSTILE_KEYS, HOSTILE_TEXTS, makeBody, toTree } from '../make-body.ts';

const CUSTOMER = '7001';
const STAFF = '42';
const SERVED = '7003';
const INTENT = { rewardId: 1, clientKey: 'click-0001' };
const BODIES: Readonly<Record<string, ReturnType<typeof toTree>>> = {
  account: toTree(INTENT),
  till: toTree({ ...INTENT, answer: '1234' }),
  challenge: toTree({ phone: '+55 11 5550 0100', email: 'a@example.com' }),
};
const ROUTES = {
  account: { prefix: '/example-store/account', names: [...routes.keys()] },
  till: { prefix: `/example-store/till/${SERVED}`, names: [...tillRoutes.keys()] },
};

/** Requests of extensions: their sender chooses all but what Shopify signs. */
export function createTarget(): FuzzTarget {
  const storefront = openFuzzedStorefront();
  return {
    make: makeRequest,
    async run({ body, parts: { path = '', method = '', query = '', type = '', ...token } }) {
      const shop = storefront.next();
      const { authorization, isWhole } = bearerOf(token, new Date(shop.clock.ms));
      const headers = { 'content-type': type, authorization };
      const answer = await storefront.ask(path, body, { method, query, headers });
      const isExtension = /^\/[^/]*\/(?:account|till)(?:\/|$)/.test(path);
      expectLaw(
        !isExtension || answer.headers['access-control-allow-origin'] === '*',
        'an extension can read every answer',
      );
      expectLaw(
        !('access-control-allow-credentials' in answer.headers),
        'no answer allows cookies',
      );
      const mayAct = isWhole && isExtension;
      for (const { customerId, till } of shop.redeemed) {
        const own = till ? SERVED : CUSTOMER;
        expectLaw(mayAct && customerId === own, 'nothing is redeemed but for the proved customer');
        expectLaw(till === undefined || till.staffId === STAFF, 'a till acts in its own name');
        const wanted = token.user === 'staff' ? 'till' : 'account';
        expectLaw(
          (till ? 'till' : 'account') === wanted,
          'a token opens addresses of its kind only',
        );
      }
      for (const { customerId, staffId } of shop.challenged) {
        expectLaw(mayAct && customerId === SERVED && staffId === STAFF, 'only a till challenges');
      }
      return `status ${answer.status}`;
    },
  };
}

function makeRequest(random: Random): FuzzInput {
  const user = pick(random, ['customer', 'staff'] as const);
  const kind = chance(random, 0.9)
    ? user === 'staff'
      ? 'till'
      : 'account'
    : pick(random, ['account', 'till'] as const);
  const { prefix, names } = ROUTES[kind];
  const name = pick(random, names);
  const method = (kind === 'till' ? tillRoutes : routes).get(name)?.method ?? 'GET';
  const isHostile = chance(random, 0.3);
  return {
    body: makeBody(BODIES[name] ?? BODIES[kind] ?? null, random),
    parts: {
      path: chance(random, 0.92)
        ? `${prefix}/${name}`
        : `${chance(random, 0.5) ? prefix : '/example-store/till'}/${pick(random, HOSTILE_TEXTS)}/${name}`,
      method: chance(random, 0.95) ? method : pick(random, ['OPTIONS', 'PUT', 'post', '']),
      type: chance(random, 0.9) ? 'application/json' : pick(random, HOSTILE_TEXTS),
      query: chance(random, 0.15)
        ? `${pick(random, [...HOSTILE_KEYS, 'customerId', 'sub'])}=${SERVED}`
        : '',
      user,
      /** A claim or a part of the header that is replaced, and by what. */
      claim: isHostile ? pick(random, [...DECIDING, 'jti', '__proto__']) : '',
      value: isHostile ? pick(random, [...HOSTILE_TEXTS, SERVED, SHOP, CLIENT_ID, 'none']) : '',
      /** Of the header of the request, after the token was signed. */
      torn: chance(random, 0.1) ? pick(random, HOSTILE_TEXTS) : '',
      secret: chance(random, 0.95) ? SECRET : pick(random, HOSTILE_TEXTS),
    },
  };
}

const DECIDING = ['iss', 'dest', 'aud', 'sub', 'exp', 'nbf', 'alg', 'crit'];

/** Any number is the id of some user: as `sub` it must not become one. */
const forged = (claim: string, value: string) => (claim === 'sub' ? `x${value}` : value);

/** `isWhole`: just what Shopify would have issued. */
function bearerOf(
  { user = '', claim = '', value = '', torn = '', secret = '' }: Readonly<Record<string, string>>,
  now: Date,
): { readonly authorization: string; readonly isWhole: boolean } {
  const holder: TokenUser =
    user === 'staff' ? { kind: 'staff', id: STAFF } : { kind: 'customer', id: CUSTOMER };
  const claims = claimsOf(holder, { shop: SHOP, clientId: CLIENT_ID, secret, now });
  const header = { alg: 'HS256', typ: 'JWT' };
  const isOfHeader = claim === 'alg' || claim === 'crit';
  const changed = claim === '' || isOfHeader ? {} : { [claim]: forged(claim, value) };
  const token = signToken({ ...claims, ...changed }, secret, {
    ...header,
    ...(isOfHeader && { [claim]: value }),
  });
  // Chance may choose what the token says anyway.
  const isItsOwn = (claim === 'dest' && value === SHOP) || (claim === 'aud' && value === CLIENT_ID);
  const isForged = DECIDING.includes(claim) && !isItsOwn;
  return {
    authorization: `Bearer ${token}${torn}`,
    isWhole: torn === '' && secret === SECRET && !isForged,
  };
}
