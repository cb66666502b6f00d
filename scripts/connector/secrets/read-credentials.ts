import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { SECRET_PURPOSES, secretName } from '../../../shared/services/secret-forms.ts';
import type { CredentialStatus } from '../status/status-model.ts';
import { readSecret } from './read-secret.ts';

/** Which secrets are there and usable, for every shop. Tells nothing of what they hold. */
export async function readCredentials(
  client: SecretsManagerClient,
  prefix: string,
  shops: readonly Shop[],
  explain: (error: unknown) => string,
): Promise<readonly CredentialStatus[]> {
  const wanted = shops.flatMap(({ domain, path }) =>
    SECRET_PURPOSES.map((purpose) => ({ shop: domain, purpose, path })),
  );
  return Promise.all(
    wanted.map(async ({ shop, purpose, path }): Promise<CredentialStatus> => {
      try {
        const read = await readSecret(client, secretName(prefix, path, purpose), purpose);
        switch (read.kind) {
          case 'there':
            return {
              ...{ shop, purpose, state: 'there', why: undefined },
              ...(read.fields.previous !== undefined && { rotating: true }),
            };
          case 'missing':
            return { shop, purpose, state: 'missing', why: 'is not there: deploy the shop first' };
          case 'malformed':
            return { shop, purpose, state: 'malformed', why: read.why };
        }
      } catch (error) {
        return { shop, purpose, state: 'unreadable', why: `cannot be read: ${explain(error)}` };
      }
    }),
  );
}
