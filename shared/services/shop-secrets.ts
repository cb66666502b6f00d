import type { SecretsCalls } from '../aws/aws-calls.ts';
import {
  createSecretReader,
  createSecretsManagerSource,
  type ParsedSecret,
  type SecretReader,
  SecretUnreachable,
} from '../aws/secrets.ts';
import type { PointTokens } from '../core/balances/receive-points.ts';
import { errorFields, type Telemetry } from '../core/events/telemetry.ts';
import type { UnreadCredentials } from '../loyalty/client.ts';
import type { AdminCredentials, AdminSecret } from '../shopify/admin/client/access-token.ts';
import type { WebhookSecrets } from '../shopify/webhooks/signature.ts';
import {
  type LoyaltyCredentials,
  parsePointTokens,
  secretForms,
  secretName,
} from './secret-forms.ts';

/**
 * Refused credentials are read again no more often: what waits for them is woken as soon as they are changed. Unlike
 * a webhook's signature, a stranger cannot cause a refusal.
 */
export const REFUSED_PAUSE_MS = 5_000;

export interface ShopSecrets {
  webhook(shopPath: string): SecretReader<WebhookSecrets>;
  loyalty(
    shopPath: string,
  ): Record<'get' | 'refresh', () => Promise<LoyaltyCredentials | UnreadCredentials>>;
  store(shopPath: string): AdminSecret;
  points(shopPath: string): SecretReader<PointTokens>;
}

export function createShopSecrets(
  calls: SecretsCalls,
  prefix: string,
  telemetry: Telemetry,
): ShopSecrets {
  const source = createSecretsManagerSource(calls);
  function reader<T>(
    name: string,
    parse: (fields: Readonly<Record<string, unknown>>) => ParsedSecret<T>,
    minPauseMs?: number,
  ): SecretReader<T> {
    return createSecretReader({
      ...(minPauseMs !== undefined && { minPauseMs }),
      name,
      source,
      parse,
      now: Date.now,
      onFailedRenewal: (error) =>
        telemetry.log('warn', 'a secret could not be read again, the old value is used', {
          secret: name,
          ...errorFields(error),
        }),
    });
  }
  return {
    webhook: (path) => reader(secretName(prefix, path, 'webhook'), secretForms.webhook),
    loyalty: (path) =>
      credentialsOf(
        reader(secretName(prefix, path, 'loyalty'), secretForms.loyalty, REFUSED_PAUSE_MS),
      ),
    store: (path) =>
      credentialsOf<AdminCredentials>(
        reader(secretName(prefix, path, 'store'), secretForms.store, REFUSED_PAUSE_MS),
      ),
    points: (path) => reader(secretName(prefix, path, 'points'), parsePointTokens),
  };
}

/** The clients get a failure as a value, which says whether to wait or to report it. */
function credentialsOf<T>(secret: SecretReader<T>) {
  const orWhyNot = (read: Promise<T>) =>
    read.catch((error: unknown) =>
      error instanceof SecretUnreachable ? ('unreachable' as const) : ('unusable' as const),
    );
  return {
    get: () => orWhyNot(secret.get()),
    refresh: () => orWhyNot(secret.refresh().then(({ value }) => value)),
  };
}
