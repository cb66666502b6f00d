import { randomUUID } from 'node:crypto';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { SECRET_PURPOSES, secretName } from '../../../shared/services/shop-secrets.ts';
import { shopAddress } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { PROBE_TOPIC } from '../../../shared/shopify/webhooks/topics.ts';
import {
  type Check,
  type Finding,
  fail,
  forEachShop,
  info,
  pass,
  type ShopDeps,
  unknown,
  warn,
} from '../checks/check.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { line } from '../document/line.ts';
import { type CredentialStatus, readSecret } from '../secrets/read-secret.ts';
import { answerText, type PostedWebhook, postWebhook } from '../send/send-webhook.ts';
import { metricsOf } from '../status/collect-status.ts';
import { type LastHour, readLastHour } from '../status/figures.ts';
import { FEW_BAD_SIGNATURES, signaturesText, strayText } from '../status/judge-status.ts';
import { momentText } from '../terminal/text.ts';
import { deployAgain } from './aws.ts';

/** Of each shop, one finding about all that is wrong: `setup` asks for every secret that is not set. */
export function secretsCheck(
  deployment: Deployment,
  credentials: Promise<readonly CredentialStatus[]>,
): Check {
  return {
    name: 'secrets',
    look: forEachShop(deployment.connector.shops, async ({ domain }) => {
      const all = (await credentials).filter(({ shop }) => shop === domain);
      const wrong = all.filter(({ state }) => state !== 'there');
      if (wrong.length === 0) return [pass(`${SECRET_PURPOSES.join(', ')} are set`)];
      const lacks = wrong.map(({ purpose }) => `${purpose} secret`);
      return [{ ...judgeSecrets(domain, wrong), lacks }];
    }),
  };
}

function judgeSecrets(shop: string, wrong: readonly CredentialStatus[]): Finding {
  const what = wrong.map(({ purpose, why }) => `the ${purpose} secret ${why}`).join('; ');
  if (wrong.every(({ state }) => state === 'unreadable')) {
    return unknown(what, 'docs/operator-access.md names the policy that reads them.');
  }
  if (wrong.some(({ state }) => state === 'unset')) {
    return fail(what, { label: 'Set what is missing', line: line('setup', [], { shop }) });
  }
  const sets = wrong.map(({ purpose }) => ({
    label: `Set the ${purpose} secret`,
    line: line('secrets set', [purpose], { shop }),
  }));
  return fail(what, ...sets);
}

/** Secrets that shops share, or that were not rotated together. Reads them to compare; they do not leave this process. */
export function appSecretsCheck(
  { shops, deployment }: ShopDeps,
  client: SecretsManagerClient,
): Check {
  const prefix = deployment.output('SecretsPrefix');
  const read = async ({ domain, path }: Shop): Promise<AppSecrets> => {
    const fields = async (purpose: 'webhook' | 'store') => {
      const found = await readSecret(client, secretName(prefix, path, purpose), purpose);
      return found.kind === 'there' ? found.fields : {};
    };
    const { current, previous } = await fields('webhook');
    const { clientId, clientSecret } = await fields('store');
    const given = (value: unknown) => (typeof value === 'string' ? value : undefined);
    return {
      shop: domain,
      webhook: [current, previous].filter((secret) => typeof secret === 'string'),
      clientId: given(clientId),
      clientSecret: given(clientSecret),
    };
  };
  return {
    name: 'app secrets',
    async look() {
      const all = await Promise.all((await shops).map(read));
      const { storefront } = deployment.connector;
      return [...judgeAppSecrets(all), ...(storefront ? judgeClientIds(all) : [])];
    },
  };
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

/** An app with client credentials always has it; an older one needs it only for its extensions. */
export function judgeClientIds(all: readonly AppSecrets[]): readonly Finding[] {
  const without = all.filter(({ clientId }) => clientId === undefined);
  const what =
    'the store secret has no client id, so requests of extensions (account page, till) are refused as no-client-id; docs/deploy.md says how to store it';
  return without.map(({ shop }) => ({ ...info(what), shop }));
}

/** The address is reachable, refuses a forged signature and accepts a valid one. Queues nothing. */
export function webhookAddressCheck(
  { shops, deployment }: ShopDeps,
  client: SecretsManagerClient,
): Check {
  return {
    name: 'webhooks',
    needs: ['webhook secret'],
    look: forEachShop(shops, async ({ domain, path }) => {
      const address = shopAddress(deployment.output('WebhookAddress'), path);
      const body = Buffer.from('{}');
      const send = (secret: string) =>
        postWebhook(address, { topic: PROBE_TOPIC, shop: domain, body, secret });
      const reached = judgeForged(await send(randomUUID()), address, deployment);
      if (reached) return [reached];
      const name = secretName(deployment.output('SecretsPrefix'), path, 'webhook');
      const stored = await readSecret(client, name, 'webhook');
      if (stored.kind !== 'there') return [pass(`${address} refuses a forged signature`)];
      const genuine = await send(String(stored.fields.current));
      if (genuine.kind === 'answered' && genuine.status === 200) {
        return [pass(`${address} takes the shop's signature and refuses a forged one`)];
      }
      // During a rotation a third secret is refused.
      const isRotating = stored.fields.previous !== undefined;
      const rotate = {
        label: 'Enter the client secret again',
        line: line('secrets set', ['webhook'], { rotate: true, shop: domain }),
      };
      return [
        fail(
          `${address} does not take the shop's own signature (${answerText(genuine)})`,
          'A secret just changed is used within 5 minutes.',
          `If the shop is new in the settings: ${deployAgain(deployment)}`,
          ...(isRotating ? [] : [rotate]),
        ),
      ];
    }),
  };
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

/** The address may take the stored secret while the app signs with another one. */
export function signaturesCheck(deployment: Deployment): Check {
  const { shops, deployment: deployed } = deployment.connector;
  return {
    name: 'signatures',
    async look() {
      if (deployed.monitoring === 'basic') {
        return [info("not counted, because deployment.monitoring is 'basic'")];
      }
      const now = new Date();
      const hour = await readLastHour(metricsOf(deployment, now).readFigures, now);
      return [judgeRefusals(hour, shops, now)];
    },
  };
}

/** The receiver counts for all shops together. */
export function judgeRefusals(
  hour: Pick<LastHour, 'signatures-refused' | 'signs'>,
  shops: readonly Pick<Shop, 'domain'>[],
  now: Date,
): Finding {
  const refused = hour['signatures-refused'];
  if (refused <= FEW_BAD_SIGNATURES) {
    return pass('the last hour shows no sign of another secret');
  }
  const sign = hour.signs['signatures-refused'];
  const { lastAt = now.getTime(), acceptedSince = 0, sinceAccepted = refused } = sign ?? {};
  const last = momentText(new Date(lastAt).toISOString(), now);
  const seen = `${signaturesText(hour)}, last at ${last}`;
  const rotations = shops.map(({ domain: shop }) => ({
    label: 'Enter the new client secret',
    say: 'Enter the client secret that the app has now:',
    line: line('secrets set', ['webhook'], { rotate: true, shop }),
  }));
  // After a repair a stray one does not make it trouble again.
  if (sinceAccepted > FEW_BAD_SIGNATURES) return fail(`${seen}; none accepted since`, ...rotations);
  if (shops.length > 1) {
    return warn(`${seen}; ${acceptedSince} accepted since, of any shop`, ...rotations);
  }
  if (acceptedSince > 0) return pass(`${seen}; repaired: ${acceptedSince} accepted since`);
  return pass(`${seen}; ${strayText(sinceAccepted)}`);
}
