import { createHash, timingSafeEqual } from 'node:crypto';
import type { PointTopic } from '../../loyalty/point-topics.ts';

/** The current token of an address and, until its rotation is ended, the previous one. */
export interface TokenPair {
  readonly current: string;
  readonly previous?: string | undefined;
}

/** One for each topic, because a body does not say which topic it is of. */
export type PointTokens = Readonly<Record<PointTopic, TokenPair>>;

export type TokenCheck = 'current' | 'previous' | 'invalid';

/** 32 random bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/** Takes the same time for every token, also for one that was partly guessed. */
export function checkToken(given: string, { current, previous }: TokenPair): TokenCheck {
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
