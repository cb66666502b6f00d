import { createHash, timingSafeEqual } from 'node:crypto';
import type { PointTopic } from '../../loyalty/point-topics.ts';

/** The header in which a subscription sends its token. */
export const TOKEN_HEADER = 'x-loyalty-connector-token';

/** The current token and, until its rotation is ended, the previous one. */
export interface TokenPair {
  readonly current: string;
  readonly previous?: string | undefined;
}

/**
 * What proves the sender of a point event. Version 0.1.0 had no `shared` token: it made one for each
 * topic, as a part of that topic's address.
 */
export type PointTokens = { readonly [Name in 'shared' | PointTopic]?: TokenPair };

/** What a request shows as its proof. */
export interface GivenProof {
  readonly header: string | undefined;
  /** The topic in an address of 0.1.0. */
  readonly topic: PointTopic | undefined;
  /** The token in the address. */
  readonly token: string | undefined;
}

export type TokenCheck = 'current' | 'previous' | 'invalid';

/** 32 random bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/** Either proof is enough. See docs/decisions/0042-point-events-are-stored-first.md. */
export function checkProof({ header, topic, token }: GivenProof, tokens: PointTokens): TokenCheck {
  const { shared } = tokens;
  const inHeader = checkToken(header, shared);
  const inAddress = checkToken(token, topic ? tokens[topic] : shared);
  // The address of a topic is the older proof once there is a token for all.
  const isOlder = topic !== undefined && shared !== undefined;
  if (inHeader === 'current' || (inAddress === 'current' && !isOlder)) return 'current';
  return inHeader === 'invalid' && inAddress === 'invalid' ? 'invalid' : 'previous';
}

/** Takes the same time for every token, also for one that was partly guessed. */
function checkToken(given: string | undefined, pair: TokenPair | undefined): TokenCheck {
  if (!isToken(given) || !pair) return 'invalid';
  const { current, previous } = pair;
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
