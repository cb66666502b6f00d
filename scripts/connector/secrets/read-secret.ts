import {
  CreateSecretCommand,
  GetSecretValueCommand,
  InvalidRequestException,
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
import type { Deployment } from '../deployment/deployment.ts';
import { isDenied } from '../deployment/explain-aws-error.ts';
import { Problem } from '../terminal/exit.ts';

/** One secret in Secrets Manager. Its values stay in `fields` and are never printed. */
export type ReadSecret =
  | { readonly kind: 'there'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unset'; readonly why: string }
  /** `why` follows "the secret" in a sentence. */
  | { readonly kind: 'malformed'; readonly why: string };

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
    if (error instanceof ResourceNotFoundException) return { kind: 'unset', why: 'was never set' };
    throw error;
  }
  const fields = readSecretFields(text ?? '');
  if (!fields) return { kind: 'malformed', why: 'is not a JSON object' };
  const parsed = secretForms[purpose](fields);
  return parsed.kind === 'parsed'
    ? { kind: 'there', fields }
    : { kind: 'malformed', why: `is not usable: ${parsed.field} ${parsed.why}` };
}

/** The first time it is created, with the key and the tags of the stack. */
export async function storeSecret(
  { stage, connector }: Pick<Deployment, 'stage' | 'connector'>,
  client: SecretsManagerClient,
  name: string,
  fields: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const SecretString = JSON.stringify(fields);
  const { encryptionKey: KmsKeyId } = connector.deployment;
  const tags = { application: 'loyalty-connector', stage };
  const creation = new CreateSecretCommand({
    Name: name,
    SecretString,
    ...(KmsKeyId !== undefined && { KmsKeyId }),
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  });
  try {
    await client.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
  } catch (error) {
    if (error instanceof InvalidRequestException) throw deleted(name);
    if (!(error instanceof ResourceNotFoundException)) throw error;
    await client.send(creation);
  }
}

/** What else Secrets Manager calls an invalid request cannot happen here. */
const deleted = (name: string): Problem =>
  new Problem(
    `Nothing was stored: the secret ${name} was deleted and still has its recovery window.`,
    `Restore it, then run the command again: aws secretsmanager restore-secret --secret-id ${name}`,
  );

export interface CredentialStatus {
  readonly shop: string;
  readonly purpose: SecretPurpose;
  readonly state: 'there' | 'unset' | 'malformed' | 'unreadable';
  /** In words without any value; undefined when it is there. */
  readonly why: string | undefined;
  /** Those who run the command may not read it: that says nothing of the deployment. */
  readonly isDenied?: boolean;
  /** Two webhook secrets are accepted at the moment. */
  readonly rotating?: boolean;
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
        if (state !== 'there') return { shop, purpose, state, why: read.why };
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
