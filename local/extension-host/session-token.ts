import { createHmac, randomUUID } from 'node:crypto';

export interface TokenSigner {
  /** `example-store.myshopify.com` */
  readonly shopDomain: string;
  readonly clientId: string;
  /** The app's secret. */
  readonly secret: string;
  readonly now: Date;
}

/** Shopify's own tokens of extensions live five minutes. */
const LIFE_SECONDS = 300;

/** A token of a customer account extension. Without `sub` where no customer is logged in. */
export function customerToken(signer: TokenSigner, customerId: string | undefined): string {
  return signToken(signer, {
    dest: signer.shopDomain,
    ...(customerId !== undefined && { sub: `gid://shopify/Customer/${customerId}` }),
  });
}

/** A JSON Web Token as Shopify signs it for extensions: HS256 with the app's secret. */
export function signToken(
  { clientId, secret, now }: TokenSigner,
  claims: Readonly<Record<string, string>>,
): string {
  const iat = Math.floor(now.getTime() / 1000);
  const times = { iat, nbf: iat, exp: iat + LIFE_SECONDS };
  const [head, body] = [
    { alg: 'HS256', typ: 'JWT' },
    { aud: clientId, jti: randomUUID(), ...times, ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
  return `${head}.${body}.${signature}`;
}
