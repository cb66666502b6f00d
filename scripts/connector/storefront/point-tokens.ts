import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { readSecretFields } from '../../../shared/aws/secrets.ts';
import type { PointTokens } from '../../../shared/core/balances/receive-points.ts';
import { parsePointTokens } from '../../../shared/services/secret-forms.ts';
import { Problem } from '../exit.ts';

/** Undefined when they were never set: a deployment creates the secret with a random text. */
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
      `The secret for the token of point events does not exist (${name}).`,
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

export type TokenChange = 'keep' | 'rotate' | 'finish';

export type NextTokens =
  /** The token is set and unchanged. */
  | { readonly kind: 'keep' }
  /** `fresh`: there is a new token to print. */
  | { readonly kind: 'store'; readonly tokens: PointTokens; readonly fresh?: string }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };

/** `stored` is undefined when no token was set, or none that can be used. */
export function nextTokens(
  stored: PointTokens | undefined,
  change: TokenChange,
  newToken: () => string,
): NextTokens {
  if (!stored) {
    if (change !== 'keep') {
      const why = 'There is no token yet.';
      return { kind: 'refused', why, next: 'Run the same command without --rotate and --finish.' };
    }
    const fresh = newToken();
    return { kind: 'store', tokens: { current: fresh }, fresh };
  }
  const { current, previous } = stored;
  switch (change) {
    case 'keep':
      return { kind: 'keep' };
    case 'rotate': {
      // The previous token would be dropped while it is in use.
      if (previous !== undefined) {
        const why = 'A rotation is already running: the previous token still works.';
        return { kind: 'refused', why, next: 'End it first: --finish --yes.' };
      }
      const fresh = newToken();
      return { kind: 'store', tokens: { current: fresh, previous: current }, fresh };
    }
    case 'finish':
      if (previous === undefined) {
        const why = 'There is nothing to finish: no older token is accepted.';
        return { kind: 'refused', why, next: 'Nothing needs to be done.' };
      }
      return { kind: 'store', tokens: { current } };
  }
}
