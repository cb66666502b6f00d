import { createHmac, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import {
  customerClaims,
  customerToken,
  nowSeconds,
  SECOND_CLIENT,
  SECOND_SECRET,
  signText,
  staffToken,
  tokenOf,
} from '../../support/extension-world.ts';
import { SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import { CLIENT_ID, STORE_SECRET } from '../../support/store-and-connector.ts';

const base64url = (text: string) => Buffer.from(text).toString('base64url');
const json = (value: unknown) => JSON.stringify(value);
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = createPublicKey(keys.privateKey).export({ type: 'spki', format: 'pem' }).toString();

export const arabic = (id: string) =>
  id.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
const wide = (id: string) =>
  id.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));

export const unsigned = (robin: string, alg = 'HS256') =>
  `${base64url(json({ alg, typ: 'JWT' }))}.${base64url(json(customerClaims(robin)))}`;

/** Tokens for Robin's account page that prove nothing; some name Sasha. */
export function attacksOf(robin: string, sasha: string): Readonly<Record<string, () => string>> {
  const account = (changes: Readonly<Record<string, unknown>>) => customerToken(robin, changes);
  const withHeader = (header: unknown, secret?: string) =>
    tokenOf(json(customerClaims(robin)), secret, json(header));
  return {
    'no token': () => '',
    'alg none': () => `${unsigned(robin, 'none')}.`,
    'alg None': () => `${unsigned(robin, 'None')}.`,
    'alg none with the right signature': () => signText(unsigned(robin, 'none')),
    'alg in lower case': () => signText(unsigned(robin, 'hs256')),
    'alg HS512, signed so': () => signText(unsigned(robin, 'HS512'), STORE_SECRET, 'sha512'),
    'alg HS256, signed with SHA-512': () =>
      signText(unsigned(robin, 'HS256'), STORE_SECRET, 'sha512'),
    'alg as a list': () => withHeader({ alg: ['HS256'] }),
    'no alg': () => withHeader({ typ: 'JWT' }),
    'RS256 of a key of the attacker': () => {
      const text = unsigned(robin, 'RS256');
      return `${text}.${createSign('sha256').update(text).sign(keys.privateKey, 'base64url')}`;
    },
    'a key confusion: HS256 with a public key as the secret': () =>
      signText(unsigned(robin, 'HS256'), pem),
    'a key in the header': () => {
      const k = base64url('a key of the attacker');
      return withHeader({ alg: 'HS256', jwk: { kty: 'oct', k } }, 'a key of the attacker');
    },
    'an address for keys in the header': () =>
      withHeader({ alg: 'HS256', jku: 'http://127.0.0.1:9/keys', kid: '1' }, 'own key'),
    'a file as the key': () => withHeader({ alg: 'HS256', kid: '../../dev/null' }, ''),
    'something critical in the header': () => withHeader({ alg: 'HS256', crit: ['exp'], exp: 1 }),
    'a header that is no object': () =>
      tokenOf(json(customerClaims(robin)), STORE_SECRET, '"HS256"'),
    'the empty secret': () => customerToken(robin, {}, ''),
    'the client id as the secret': () => customerToken(robin, {}, CLIENT_ID),
    'the secret of another shop': () => customerToken(robin, {}, SECOND_SECRET),
    'a token of another shop': () =>
      customerToken(robin, { dest: SECOND_SHOP, aud: SECOND_CLIENT }, SECOND_SECRET),
    'this secret, for another shop': () => account({ dest: SECOND_SHOP }),
    'a token of another app': () => account({ aud: SECOND_CLIENT }),
    'no audience': () => account({ aud: undefined }),
    'the audience as a list with another': () => account({ aud: [SECOND_CLIENT, CLIENT_ID] }),
    'an empty audience': () => account({ aud: '' }),
    'the audience in upper case': () => account({ aud: CLIENT_ID.toUpperCase() }),
    'the audience with a space': () => account({ aud: `${CLIENT_ID} ` }),
    'no destination': () => account({ dest: undefined }),
    'a destination by http': () => account({ dest: `http://${SHOP}` }),
    'a destination with a port': () => account({ dest: `https://${SHOP}:8443` }),
    'a destination with a trailing dot': () => account({ dest: `${SHOP}.` }),
    'a destination with a user': () => account({ dest: `https://${SHOP}@evil.example` }),
    'a destination that begins like the shop': () => account({ dest: `${SHOP}.evil.example` }),
    'a destination that ends like the shop': () => account({ dest: `x${SHOP}` }),
    'a destination in a path': () => account({ dest: `https://evil.example/${SHOP}` }),
    'a destination as a list': () => account({ dest: [SHOP] }),
    'another issuer': () => account({ iss: `https://${SECOND_SHOP}/admin` }),
    'an issuer that begins like the shop': () =>
      account({ iss: `https://${SHOP}.evil.example/admin` }),
    'an issuer as an object': () => account({ iss: { toString: SHOP } }),
    expired: () => account({ exp: nowSeconds() - 11 }),
    'no expiry': () => account({ exp: undefined }),
    'an expiry of null': () => account({ exp: null }),
    'an expiry as a text': () => account({ exp: String(nowSeconds() + 300) }),
    'an expiry as a list': () => account({ exp: [nowSeconds() + 300] }),
    'an expiry that is true': () => account({ exp: true }),
    'not valid yet': () => account({ nbf: nowSeconds() + 12 }),
    'no beginning': () => account({ nbf: undefined }),
    'a beginning as a text': () => account({ nbf: '0' }),
    'other claims under the same signature': () => {
      const [header, , signature] = customerToken(robin).split('.');
      return `${header}.${base64url(json(customerClaims(sasha)))}.${signature}`;
    },
    'a signature cut short': () => customerToken(robin).slice(0, -4),
    'an empty signature': () => customerToken(robin).replace(/[^.]*$/, ''),
    'a signature in hex': () => {
      const text = unsigned(robin, 'HS256');
      return `${text}.${createHmac('sha256', STORE_SECRET).update(text).digest('hex')}`;
    },
    'two dots more': () => `${customerToken(robin)}.e30.e30`,
    'a dot at the end': () => `${customerToken(robin)}.`,
    'a dot at the beginning': () => `.${customerToken(robin)}`,
    'claims alone': () => base64url(json(customerClaims(robin))),
    'two tokens': () => `${customerToken(robin)},Bearer ${customerToken(sasha)}`,
    'a token in a token': () => customerToken(robin, { sub: customerToken(sasha) }),
    'claims that are a list': () => tokenOf(json([customerClaims(robin)])),
    'claims that are null': () => tokenOf('null'),
    'claims that are a text': () => tokenOf(json(json(customerClaims(robin)))),
    'claims below another object': () => tokenOf(json({ claims: customerClaims(robin) })),
    'claims of the prototype': () => tokenOf(`{"__proto__":${json(customerClaims(robin))}}`),
    'claims that are not JSON': () => tokenOf(`${json(customerClaims(robin))}}`),
    'a megabyte': () => customerToken(robin, { more: 'x'.repeat(1 << 20) }, 'not the secret'),
    'a thousand levels': () => tokenOf(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
    'a member of the staff': () => staffToken(),
    'digits of another script': () => account({ sub: `gid://shopify/Customer/${arabic(sasha)}` }),
    'wide digits': () => account({ sub: `gid://shopify/Customer/${wide(sasha)}` }),
    'a customer with a space': () => account({ sub: `gid://shopify/Customer/ ${sasha}` }),
    'a customer and a new line': () => account({ sub: `gid://shopify/Customer/${sasha}\n` }),
    'a customer and a query': () => account({ sub: `gid://shopify/Customer/${robin}?id=${sasha}` }),
    'a customer below another': () => account({ sub: `gid://shopify/Customer/${robin}/${sasha}` }),
    'two customers': () =>
      account({ sub: `${customerClaims(robin).sub},${customerClaims(sasha).sub}` }),
    'another kind of gid': () => account({ sub: `gid://shopify/Order/${sasha}` }),
    'a gid of a staff member': () => account({ sub: `gid://shopify/StaffMember/${sasha}` }),
    'a gid in upper case': () => account({ sub: `GID://SHOPIFY/CUSTOMER/${sasha}` }),
    'a gid of another app': () => account({ sub: `gid://evil/Customer/${sasha}` }),
    'a gid without a number': () => account({ sub: 'gid://shopify/Customer/' }),
    'a list of one customer': () => account({ sub: [customerClaims(sasha).sub] }),
    'a customer as a number': () => account({ sub: Number(sasha) }),
    'a customer below zero': () => account({ sub: `gid://shopify/Customer/-${sasha}` }),
  };
}
