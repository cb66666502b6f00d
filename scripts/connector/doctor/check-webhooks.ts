import { randomUUID } from 'node:crypto';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import { shopAddress } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { PROBE_TOPIC } from '../../../shared/shopify/webhooks/topics.ts';
import { type Finding, fail, info, pass, warn } from '../checks/check.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { readSecret } from '../secrets/read-secret.ts';
import { type PostedWebhook, postWebhook, signWebhook } from '../send/send-webhook.ts';
import type { LastHour } from '../status/figures.ts';
import { FEW_BAD_SIGNATURES, signaturesText } from '../status/judge-status.ts';
import { momentText } from '../terminal/text.ts';
import { deployAgain } from './check-aws.ts';

/** Checks that the address is reachable, refuses a forged signature and accepts a valid one. Queues nothing. */
export async function checkWebhookAddress(
  { domain, path }: Shop,
  deployment: Deployment,
  secrets: SecretsManagerClient,
): Promise<readonly Finding[]> {
  const address = shopAddress(deployment.output('WebhookAddress'), path);
  const body = Buffer.from('{}');
  const send = (secret: string) => {
    const delivery = {
      ...{ topic: PROBE_TOPIC, shop: domain, webhookId: randomUUID() },
      ...{ body, triggeredAt: new Date() },
    };
    return postWebhook(address, signWebhook(delivery, secret), body);
  };
  const forged = await send(randomUUID());
  const reached = judgeForged(forged, address, deployment);
  if (reached) return [reached];

  const name = secretName(deployment.output('SecretsPrefix'), path, 'webhook');
  const stored = await readSecret(secrets, name, 'webhook');
  if (stored.kind !== 'there') return [pass(`${address} refuses a forged signature`)];
  const genuine = await send(String(stored.fields.current));
  if (genuine.kind === 'answered' && genuine.status === 200) {
    return [pass(`${address} takes the shop's signature and refuses a forged one`)];
  }
  return [
    fail(`${address} does not take the shop's own signature (${answerText(genuine)})`, {
      say: 'A secret just changed is used within 5 minutes; otherwise:',
      run: nextCommand(deployment, `secrets set webhook --shop ${domain}`),
    }),
  ];
}

function judgeForged(
  answer: PostedWebhook,
  address: string,
  deployment: Deployment,
): Finding | undefined {
  if (answer.kind === 'unanswered') {
    return fail(`${address} cannot be reached: ${answer.why}`, deployAgain(deployment));
  }
  if (answer.status === 401) return undefined;
  if (answer.status >= 200 && answer.status <= 299) {
    return fail(
      `${address} took a forged signature`,
      'Something else answers there: deploy again.',
    );
  }
  return fail(
    `${address} answers a forged signature with ${answer.status}, not with 401`,
    'See the log of receive-webhook: secrets that cannot be read are answered with 503.',
  );
}

function answerText(answer: PostedWebhook): string {
  return answer.kind === 'answered' ? `${answer.status}` : answer.why;
}

/**
 * The address may take the stored secret while the app signs with another one. The receiver counts for all shops
 * together.
 */
export function judgeRefusals(
  hour: Pick<LastHour, 'signatures-refused' | 'signs'>,
  shops: readonly Shop[],
  doNext: (command: string) => string,
  now: Date,
): readonly Finding[] {
  if (hour['signatures-refused'] <= FEW_BAD_SIGNATURES) return [];
  const { lastAt = now.getTime(), acceptedSince = 0 } = hour.signs['signatures-refused'] ?? {};
  const last = momentText(new Date(lastAt).toISOString(), now);
  const what = `${signaturesText(hour)}, last at ${last}; ${acceptedSince === 0 ? 'none' : acceptedSince} accepted since`;
  const [shop, another] = shops;
  const say = 'Enter the client secret that the app has now:';
  const set = 'secrets set webhook --rotate --shop';
  const fix = another
    ? `${say} "${set}" and the domain that the app is installed in`
    : { say, run: doNext(`${set} ${shop?.domain}`) };
  return [acceptedSince === 0 ? fail(what, fix) : warn(what, fix)];
}

/** Reads the secrets to compare them; they do not leave this process. */
export async function readAppSecrets(
  client: SecretsManagerClient,
  { connector, output }: Deployment,
): Promise<readonly AppSecrets[]> {
  const prefix = output('SecretsPrefix');
  return Promise.all(
    connector.shops.map(async ({ domain, path }) => {
      const fields = async (purpose: 'webhook' | 'store') => {
        const read = await readSecret(client, secretName(prefix, path, purpose), purpose);
        return read.kind === 'there' ? read.fields : {};
      };
      const { current, previous } = await fields('webhook');
      const { clientId, clientSecret } = await fields('store');
      return {
        shop: domain,
        webhook: [current, previous].filter((secret) => typeof secret === 'string'),
        clientId: typeof clientId === 'string' ? clientId : undefined,
        clientSecret: typeof clientSecret === 'string' ? clientSecret : undefined,
      };
    }),
  );
}

/** The secrets that sign a shop's webhooks, and the client id and secret of its app. */
interface AppSecrets {
  readonly shop: string;
  /** The current webhook secret and, during a rotation, the older one. */
  readonly webhook: readonly string[];
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

/** Compares the secrets without showing them. */
export function judgeAppSecrets(all: readonly AppSecrets[]): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      if (!one.webhook.some((secret) => other.webhook.includes(secret))) continue;
      findings.push(
        warn(
          `${one.shop} and ${other.shop} share one app secret: a body of one is valid at the other`,
          'Give each shop an app of its own. Until then a captured body can be replayed at the other shop.',
        ),
      );
    }
    if (one.clientSecret !== undefined && !one.webhook.includes(one.clientSecret)) {
      findings.push(
        warn(
          `${one.shop}: the client secret in the store secret differs from the webhook secret`,
          'An app signs webhooks with its client secret: one of the two was not rotated.',
        ),
      );
    }
  }
  if (findings.length > 0) return findings;
  return all.length > 1 ? [pass('no two shops share an app secret')] : [];
}

/** An app with client credentials always has it; an older one needs it only for its extensions. */
export function judgeClientIds(all: readonly AppSecrets[]): readonly Finding[] {
  return all
    .filter(({ clientId }) => clientId === undefined)
    .map(({ shop }) =>
      info(
        `${shop}: the store secret has no client id, so requests of extensions (account page, till) are ` +
          'refused as no-client-id; docs/deploy.md says how to store it',
      ),
    );
}
