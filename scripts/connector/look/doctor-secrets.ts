import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { type Check, type Finding, pass, type ShopDeps, warn } from '../ground/checks/check.ts';
import { type CredentialStatus, readSecret } from '../ground/checks/read-secret.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import { openFigures, readLastHour } from '../ground/session/figures.ts';
import { judgeSignatures, NOT_COUNTED } from './judge-status.ts';

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
      const all = await Promise.all(shops.map(read));
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
        return [NOT_COUNTED];
      }
      const now = new Date();
      const hour = await readLastHour(openFigures(deployment, now), now);
      const domains = shops.map(({ domain }) => domain);
      return [judgeSignatures(hour, { shops: domains, now, credentials: await credentials })];
    },
  };
}
