import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { readSecretFields } from '../../../shared/aws/secrets.ts';
import { type SecretPurpose, secretForms } from '../../../shared/services/secret-forms.ts';

/** One secret as it lies in Secrets Manager. Its values stay in `fields` and go nowhere else. */
export type ReadSecret =
  | { readonly kind: 'there'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'missing' }
  /** `why` follows "the secret" in a sentence. */
  | { readonly kind: 'malformed'; readonly why: string };

/** Rejects only with AWS's own errors: no access, no connection. */
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
  // A deployment makes only the place, with a random text in it.
  if (!fields) return { kind: 'malformed', why: 'was never set' };
  const parsed = secretForms[purpose](fields);
  return parsed.kind === 'parsed'
    ? { kind: 'there', fields }
    : { kind: 'malformed', why: `is not usable: ${parsed.field} ${parsed.why}` };
}
