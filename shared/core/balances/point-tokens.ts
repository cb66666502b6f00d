import { createHash, timingSafeEqual } from 'node:crypto';
import type { PointTopic } from '../../loyalty/point-topics.ts';

/** What an address carries now and, until its rotation is ended, what it carried before. */
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

/** Takes the same time whichever token it is and however much of one was guessed. */
export function checkToken(given: string, { current, previous }: TokenPair): TokenCheck {
  const isCurrent = isSame(given, current);
  const isPrevious = isSame(given, previous ?? current) && previous !== undefined;
  if (isCurrent) return 'current';
  return isPrevious ? 'previous' : 'invalid';
}

/** By hash, because the comparison wants equal lengths and must not tell the length either. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
