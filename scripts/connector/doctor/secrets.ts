import { randomUUID } from 'node:crypto';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { SECRET_MAX_AGE_MS } from '../../../shared/aws/secrets.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { shopAddress } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import {
  type Check,
  type Finding,
  fail,
  info,
  pass,
  type ShopDeps,
  shopCheck,
  unknown,
  warn,
} from '../checks/check.ts';
import { type Deployment, deployAgain } from '../deployment/deployment.ts';
import { openFigures, readLastHour } from '../deployment/figures.ts';
import { commandsOf } from '../deployment/platform.ts';
import { type CredentialStatus, readSecret } from '../secrets/read-secret.ts';
import { answerText, type PostedWebhook, postDelivery } from '../send/send-webhook.ts';
import { judgeSignatures } from '../status/judge-status.ts';
import { momentText } from '../terminal/text.ts';

/** Secrets that shops share, or that were not rotated together. Reads them to compare; they do not leave this process. */
export function appSecretsCheck({ shops, deployment }: ShopDeps): Check {
  const client = new SecretsManager(deployment.aws);
  const read = async (shop: Shop): Promise<AppSecrets> => {
    const fields = async (purpose: 'webhook' | 'store') => {
      const found = await readSecret(deployment, shop, purpose, client);
      return found.kind === 'there' ? found.fields : {};
    };
    const { current, previous } = await fields('webhook');
    const { clientSecret } = await fields('store');
    return {
      shop: shop.domain,
      webhook: [current, previous].filter((secret) => typeof secret === 'string'),
      ...(typeof clientSecret === 'string' && { clientSecret }),
    };
  };
  return {
    name: 'app secrets',
    async look() {
      const all = await Promise.all((await shops).map(read));
      return judgeAppSecrets(all);
    },
  };
}

/** The secrets that sign a shop's webhooks, and the client secret of its app. */
interface AppSecrets {
  readonly shop: string;
  /** The current webhook secret and, during a rotation, the older one. */
  readonly webhook: readonly string[];
  readonly clientSecret?: string;
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
    const isDifferent =
      one.clientSecret !== undefined &&
      one.webhook.length > 0 &&
      !one.webhook.includes(one.clientSecret);
    if (isDifferent) {
      const what = 'the client secret in the store secret differs from the webhook secret';
      const fix = 'An app signs webhooks with its client secret: one of the two was not rotated.';
      findings.push({ ...warn(what, fix), shop: one.shop });
    }
  }
  if (findings.length > 0) return findings;
  return all.length > 1 ? [pass('no two shops share an app secret')] : [];
}

/** The address is reachable, refuses a forged signature and accepts a valid one. Queues nothing. */
export function webhookAddressCheck({ shops, deployment }: ShopDeps): Check {
  const client = new SecretsManager(deployment.aws);
  return shopCheck('webhooks', ['webhook secret'], shops, async (shop) => {
    const { domain, path } = shop;
    const address = shopAddress(deployment.output('WebhookAddress'), path);
    const send = (secret: string) =>
      postDelivery(address, commandsOf(shop).probe(domain, secret, new Date()));
    const reached = judgeForged(await send(randomUUID()), address, deployment);
    if (reached) return [reached];
    const stored = await readSecret(deployment, shop, 'webhook', client);
    if (stored.kind !== 'there') return [pass(`${address} refuses a forged signature`)];
    const genuine = await send(String(stored.fields.current));
    if (genuine.kind === 'answered' && genuine.status === 200) {
      return [pass(`${address} takes the shop's signature and refuses a forged one`)];
    }
    const refused = `${address} does not take the shop's own signature (${answerText(genuine)})`;
    const { storedAt } = stored;
    // The receiver keeps what it has read.
    if (storedAt && Date.now() - storedAt.getTime() < SECRET_MAX_AGE_MS) {
      const used = `The secret was changed at ${momentText(storedAt.toISOString(), new Date())} and is used within ${SECRET_MAX_AGE_MS / 60_000} minutes. Look again then.`;
      return [unknown(refused, used)];
    }
    return [fail(refused, deployAgain(deployment))];
  });
}

function judgeForged(
  answer: PostedWebhook,
  address: string,
  deployment: Deployment,
): Finding | undefined {
  if (answer.kind === 'unanswered') {
    const network = 'Check the network from here. If others reach it neither:';
    return unknown(
      `${address} cannot be reached: ${answer.why}`,
      `${network} ${deployAgain(deployment)}`,
    );
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

/** What the receiver counted. */
export function signaturesCheck(
  deployment: Deployment,
  credentials: Promise<readonly CredentialStatus[]>,
): Check {
  const { shops, deployment: deployed } = deployment.connector;
  return {
    name: 'signatures',
    async look() {
      if (deployed.monitoring === 'basic') {
        return [info("not counted, because deployment.monitoring is 'basic'")];
      }
      const now = new Date();
      const hour = await readLastHour(openFigures(deployment, now), now);
      const domains = shops.map(({ domain }) => domain);
      return [judgeSignatures(hour, { shops: domains, now, credentials: await credentials })];
    },
  };
}
