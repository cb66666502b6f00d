import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { readSecretFields } from '../../../shared/aws/secrets.ts';
import type { PointTokens, TokenPair } from '../../../shared/core/balances/point-tokens.ts';
import { type PointTopic, pointTopics } from '../../../shared/loyalty/point-topics.ts';
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
      `The secret for the tokens of point events does not exist (${name}).`,
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
  /** The tokens are set and unchanged. */
  | { readonly kind: 'keep' }
  /** `fresh`: there are new addresses to print. */
  | { readonly kind: 'store'; readonly tokens: PointTokens; readonly fresh: boolean }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };

/** Undefined tokens: never set, or unusable. */
export function nextTokens(
  stored: PointTokens | undefined,
  change: TokenChange,
  newToken: () => string,
): NextTokens {
  if (!stored) {
    if (change !== 'keep') {
      const why = 'There are no addresses for point events yet.';
      return { kind: 'refused', why, next: 'Run the same command without --rotate and --finish.' };
    }
    return { kind: 'store', tokens: forEachTopic(() => ({ current: newToken() })), fresh: true };
  }
  const rotating = pointTopics.some((topic) => stored[topic].previous !== undefined);
  switch (change) {
    case 'keep':
      return { kind: 'keep' };
    case 'rotate':
      // The previous token would be dropped while it is in use.
      if (rotating) {
        const why = 'A rotation is already running: the previous addresses still work.';
        return { kind: 'refused', why, next: 'End it first: --finish --yes.' };
      }
      return {
        kind: 'store',
        tokens: forEachTopic((topic) => ({
          current: newToken(),
          previous: stored[topic].current,
        })),
        fresh: true,
      };
    case 'finish':
      if (!rotating) {
        const why = 'There is no rotation to finish: there are no older addresses.';
        return { kind: 'refused', why, next: 'Nothing needs to be done.' };
      }
      return {
        kind: 'store',
        tokens: forEachTopic((topic) => ({ current: stored[topic].current })),
        fresh: false,
      };
  }
}

function forEachTopic(make: (topic: PointTopic) => TokenPair): PointTokens {
  return Object.fromEntries(pointTopics.map((topic) => [topic, make(topic)])) as PointTokens;
}
