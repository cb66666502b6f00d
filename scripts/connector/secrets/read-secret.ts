import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { readSecretFields } from '../../../shared/aws/secrets.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import {
  SECRET_PURPOSES,
  type SecretPurpose,
  secretForms,
  secretName,
} from '../../../shared/services/shop-secrets.ts';
import { isDenied } from '../deployment/explain-aws-error.ts';

/** One secret in Secrets Manager. Its values stay in `fields` and are never printed. */
export type ReadSecret =
  | { readonly kind: 'there'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'missing' }
  /** `why` follows "the secret" in a sentence. */
  | { readonly kind: 'malformed'; readonly why: string; readonly unset?: boolean };

/** Rejects only with errors of AWS: no access, no connection. */
export async function readSecret(
  client: SecretsManagerClient,
  name: string,
  purpose: SecretPurpose,
): Promise<ReadSecret> {
  let text: string | undefined;
  try {
    ({ SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: name })));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return { kind: 'missing' };
    throw error;
  }
  const fields = readSecretFields(text ?? '');
  // A deployment creates the secret with a random text.
  if (!fields) return { kind: 'malformed', why: 'was never set', unset: true };
  const parsed = secretForms[purpose](fields);
  return parsed.kind === 'parsed'
    ? { kind: 'there', fields }
    : { kind: 'malformed', why: `is not usable: ${parsed.field} ${parsed.why}` };
}

export async function storeSecret(
  client: SecretsManagerClient,
  name: string,
  fields: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const SecretString = JSON.stringify(fields);
  await client.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
}

export interface CredentialStatus {
  readonly shop: string;
  readonly purpose: SecretPurpose;
  readonly state: 'there' | 'missing' | 'malformed' | 'unreadable';
  /** In words without any value; undefined when it is there. */
  readonly why: string | undefined;
  /** Those who run the command may not read it: that says nothing of the deployment. */
  readonly isDenied?: boolean;
  /** Two webhook secrets are accepted at the moment. */
  readonly rotating?: boolean;
  /** It holds what the deployment created it with. */
  readonly unset?: boolean;
}

/** Which secrets of every shop are set and usable, without their values. */
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
        const { kind: state } = read;
        if (state === 'missing') {
          return { shop, purpose, state, why: 'does not exist: deploy the shop first' };
        }
        if (state === 'malformed') {
          return { shop, purpose, state, why: read.why, ...(read.unset && { unset: true }) };
        }
        const rotating = read.fields.previous !== undefined && { rotating: true };
        return { shop, purpose, state, why: undefined, ...rotating };
      } catch (error) {
        const denied = isDenied(error);
        const why = `cannot be read: ${denied ? 'your AWS credentials may not' : explain(error)}`;
        return { shop, purpose, state: 'unreadable', why, isDenied: denied };
      }
    }),
  );
}
