import { createHmac, randomUUID } from 'node:crypto';

/** Whom a token is for: the customer whose page an extension runs in, or the user of a point of sale. */
export type TokenUser =
  | { readonly kind: 'customer'; readonly id: string | undefined }
  | { readonly kind: 'staff'; readonly id: string };

export interface TokenIssue {
  readonly shop: string;
  readonly clientId: string;
  readonly secret: string;
  readonly now: Date;
}

/** "Session Token API" of customer accounts: five minutes; "About session tokens": one minute. */
const LIFE_SECONDS = { customer: 300, staff: 60 };

/** The session token that Shopify gives to an extension of the app, in the form of its surface. */
export function issueSessionToken(user: TokenUser, issue: TokenIssue): string {
  return signToken(claimsOf(user, issue), issue.secret);
}

export type TokenClaims = Readonly<Record<string, unknown>>;

export function claimsOf(user: TokenUser, { shop, clientId, now }: TokenIssue): TokenClaims {
  const at = Math.floor(now.getTime() / 1000);
  const common = { aud: clientId, exp: at + LIFE_SECONDS[user.kind], nbf: at, iat: at };
  const jti = randomUUID();
  switch (user.kind) {
    case 'customer':
      return {
        ...{ dest: shop, ...common, jti },
        ...(user.id !== undefined && { sub: `gid://shopify/Customer/${user.id}` }),
      };
    case 'staff':
      return {
        ...{ iss: `https://${shop}/admin`, dest: `https://${shop}`, ...common, jti },
        ...{ sub: user.id, sid: randomUUID() },
      };
  }
}

export function signToken(
  claims: unknown,
  secret: string,
  header: TokenClaims = { alg: 'HS256', typ: 'JWT' },
): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
