import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  createSecretReader,
  createSecretsManagerSource,
  type ParsedSecret,
  requireText,
  type SecretReader,
} from '../shared/aws/secrets.ts';
import type { AdminCredentials } from '../shared/shopify/admin/admin-credentials.ts';
import type { WebhookSecrets } from '../shared/shopify/signature.ts';
import { errorFields, type Telemetry } from '../shared/sync/telemetry.ts';

/** Each shop has a secret per purpose, so that a function can read only the one it needs. */
export interface ShopSecrets {
  webhook(shopPath: string): SecretReader<WebhookSecrets>;
  loyalty(shopPath: string): SecretReader<{ readonly token: string; readonly key: string }>;
  /** `clientId` and `clientSecret` of the app, or the `accessToken` of an older one. */
  store(shopPath: string): SecretReader<AdminCredentials>;
}

export function createShopSecrets(
  client: SecretsManagerClient,
  prefix: string,
  telemetry: Telemetry,
): ShopSecrets {
  const source = createSecretsManagerSource(client);
  function reader<T>(name: string, parse: (fields: Fields) => ParsedSecret<T>): SecretReader<T> {
    return createSecretReader({
      name,
      source,
      parse,
      now: Date.now,
      onFailedRenewal: (error) =>
        telemetry.log('warn', 'a secret could not be read again, the old value serves', {
          secret: name,
          ...errorFields(error),
        }),
    });
  }
  return {
    webhook: (path) => reader(`${prefix}/${path}/webhook`, parseWebhookSecrets),
    loyalty: (path) => reader(`${prefix}/${path}/loyalty`, parseLoyaltyCredentials),
    store: (path) => reader(`${prefix}/${path}/store`, parseStoreCredentials),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function parseWebhookSecrets(fields: Fields): ParsedSecret<WebhookSecrets> {
  const current = requireText(fields, 'current');
  if (current.kind === 'fault') return current;
  const previous = requireText(fields, 'previous');
  return {
    kind: 'parsed',
    value: {
      current: current.value,
      previous: previous.kind === 'parsed' ? previous.value : undefined,
    },
  };
}

function parseLoyaltyCredentials(
  fields: Fields,
): ParsedSecret<{ readonly token: string; readonly key: string }> {
  const token = requireText(fields, 'token');
  if (token.kind === 'fault') return token;
  const key = requireText(fields, 'key');
  if (key.kind === 'fault') return key;
  return { kind: 'parsed', value: { token: token.value, key: key.value } };
}

function parseStoreCredentials(fields: Fields): ParsedSecret<AdminCredentials> {
  const accessToken = requireText(fields, 'accessToken');
  if (accessToken.kind === 'parsed') {
    return { kind: 'parsed', value: { kind: 'static', accessToken: accessToken.value } };
  }
  const clientId = requireText(fields, 'clientId');
  if (clientId.kind === 'fault') return clientId;
  const clientSecret = requireText(fields, 'clientSecret');
  if (clientSecret.kind === 'fault') return clientSecret;
  const pair = { clientId: clientId.value, clientSecret: clientSecret.value };
  return { kind: 'parsed', value: { kind: 'client-credentials', ...pair } };
}
