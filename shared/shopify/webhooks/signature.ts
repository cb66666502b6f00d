import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * After a rotation Shopify may sign with the old secret for up to an hour ("Rotate or revoke client
 * credentials"), so both are accepted.
 */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous?: string | undefined;
}

export interface WebhookSecretReader {
  get(): Promise<WebhookSecrets>;
  /** Reads the secrets again, at most once a minute: they may have been rotated a moment ago. */
  refresh(): Promise<{ readonly kind: 'renewed' | 'unchanged'; readonly value: WebhookSecrets }>;
}

/** Which secret made the signature. */
export type SignatureCheck = 'current' | 'previous' | 'invalid';

export function checkSignature(
  body: Uint8Array,
  signature: string,
  { current, previous }: WebhookSecrets,
): SignatureCheck {
  const sign = (secret: string) => createHmac('sha256', secret).update(body).digest('base64');
  if (isSameText(sign(current), signature)) return 'current';
  if (previous && isSameText(sign(previous), signature)) return 'previous';
  return 'invalid';
}

/** In constant time. As text, not as decoded bytes: decoding would accept many spellings of one value. */
export function isSameText(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
