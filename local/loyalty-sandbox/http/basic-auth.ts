import { createHash, timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../../../shared/loyalty/access.ts';

/** Takes the same time for every wrong value: the digests are compared, and have one length. */
export function isAuthorized(authorization: string | undefined, expected: Credentials): boolean {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return false;
  return timingSafeEqual(
    digest(Buffer.from(encoded, 'base64')),
    digest(Buffer.from(`${expected.token}:${expected.key}`)),
  );
}

const digest = (value: Buffer): Buffer => createHash('sha256').update(value).digest();
