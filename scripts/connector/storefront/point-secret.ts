import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { readSecretFields } from '../../../shared/aws/secrets.ts';
import type { PointTokens } from '../../../shared/core/balances/point-tokens.ts';
import { parsePointTokens } from '../../../shared/services/secret-forms.ts';
import { Problem } from '../problem.ts';

/** Undefined when nobody has set them: a deployment makes only the place, with a random text in it. */
export async function readTokens(
  client: SecretsManagerClient,
  name: string,
): Promise<PointTokens | undefined> {
  try {
    const { SecretString: text = '' } = await client.send(
      new GetSecretValueCommand({ SecretId: name }),
    );
    const parsed = parsePointTokens(readSecretFields(text) ?? {});
    return parsed.kind === 'parsed' ? parsed.value : undefined;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new Problem(
      `There is no place for the tokens of point events (${name}).`,
      'Deploy the settings that have a storefront (npm run deploy), then run the command again.',
    );
  }
}

export async function storeTokens(
  client: SecretsManagerClient,
  name: string,
  tokens: PointTokens,
): Promise<void> {
  const SecretString = JSON.stringify(tokens);
  await client.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
}
