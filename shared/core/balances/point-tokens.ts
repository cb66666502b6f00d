import { createHash, timingSafeEqual } from 'node:crypto';

/** The header in which a subscription sends its token. */
export const TOKEN_HEADER = 'x-loyalty-connector-token';

/** What proves the sender of a point event: the current token and, until its rotation is ended, the previous one. */
export interface PointTokens {
  readonly current: string;
  readonly previous?: string | undefined;
}

/** What a request shows as its proof. */
export interface GivenProof {
  readonly header: string | undefined;
  /** In the address. */
  readonly token: string | undefined;
}

export type TokenCheck = 'current' | 'previous' | 'invalid';

/** 32 random bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/** Either proof is enough. See docs/decisions/0042-point-events-are-stored-first.md. */
export function checkProof({ header, token }: GivenProof, tokens: PointTokens): TokenCheck {
  const inHeader = checkToken(header, tokens);
  const inAddress = checkToken(token, tokens);
  if (inHeader === 'current' || inAddress === 'current') return 'current';
  return inHeader === 'invalid' && inAddress === 'invalid' ? 'invalid' : 'previous';
}

/** Takes the same time for every token, also for one that was partly guessed. */
function checkToken(given: string | undefined, { current, previous }: PointTokens): TokenCheck {
  if (!isToken(given)) return 'invalid';
  const isCurrent = isSame(given, current);
  const isPrevious = isSame(given, previous ?? current) && previous !== undefined;
  if (isCurrent) return 'current';
  return isPrevious ? 'previous' : 'invalid';
}

/** By hash, because the comparison needs equal lengths and must not reveal the length. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
