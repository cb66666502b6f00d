import { createHmac, timingSafeEqual } from 'node:crypto';

/** The secret the app has now and, for the hour after a rotation, the one it had before. */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous?: string | undefined;
}

export type SignatureCheck = 'current' | 'previous' | 'invalid';

/**
 * Which secret signed these bytes. After a rotation Shopify may sign with the old secret for up to
 * an hour ("Rotate or revoke client credentials"), so both are accepted.
 */
export function checkSignature(
  body: Uint8Array,
  signature: string,
  secrets: WebhookSecrets,
): SignatureCheck {
  if (isSignedWith(secrets.current, body, signature)) return 'current';
  if (secrets.previous && isSignedWith(secrets.previous, body, signature)) return 'previous';
  return 'invalid';
}

function isSignedWith(secret: string, body: Uint8Array, signature: string): boolean {
  // Compared as text, not as decoded bytes: base64 decoding would accept many spellings of one value.
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('base64'));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
