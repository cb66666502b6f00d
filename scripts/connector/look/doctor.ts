import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { LEDGER_FORMAT } from '../../../shared/core/events/formats.ts';
import { SECRET_PURPOSES } from '../../../shared/services/shop-secrets.ts';
import { accessCheck, alarmsCheck, concurrencyCheck, stackCheck } from '../ground/checks/aws.ts';
import {
  type Check,
  type ChecksData,
  checksDocument,
  type Finding,
  pass,
  runChecks,
  type ShopDeps,
  warn,
} from '../ground/checks/check.ts';
import { loyaltyCheck, orderOriginCheck, rewardsCheck } from '../ground/checks/loyalty.ts';
import { pausesCheck } from '../ground/checks/read-pauses.ts';
import {
  type CredentialStatus,
  readCredentials,
  readSecret,
  secretsCheck,
  webhookAddressCheck,
} from '../ground/checks/read-secret.ts';
import { goLiveCheck, settingsCheck } from '../ground/checks/settings.ts';
import type { ChecksByPlatform } from '../ground/checks/step.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import { openFigures, readLastHour } from '../ground/session/figures.ts';
import { readQueues } from '../ground/session/queues.ts';
import { openShopServices } from '../ground/session/services.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import type { Document, Suggestion } from '../ground/terminal/document.ts';
import { line } from '../ground/terminal/line.ts';
import { judgeSignatures, NOT_COUNTED } from './judge-status.ts';

export interface DoctorOptions extends CommonOptions {
  readonly all?: boolean;
}

export async function examine(
  { findDeployment }: Pick<Session, 'findDeployment'>,
  options: DoctorOptions,
  platforms: ChecksByPlatform,
): Promise<Document<ChecksData>> {
  // Throws a `Problem` for wrong settings or a missing stack.
  const deployment = await findDeployment();
  const { all = false } = options;
  const credentials = readCredentials(deployment, options);
  const checks = await runChecks(openChecks(deployment, platforms, credentials), options);
  const { stack, stage, region, where, version } = deployment;
  // The newest form of the ledger's items that this command reads.
  const versions = { version, commandVersion: VERSION, ledgerFormat: LEDGER_FORMAT };
  const title = `${stack} ${where === 'aws' ? `in ${region}` : 'on this machine'}`;
  const found = checksDocument(title, checks, { all });
  const data = { stack, stage, region, where, ...versions, checks };
  const hasDead = (await readQueues(deployment).catch(() => [])).some(({ dead }) => dead > 0);
  const next = [
    ...(hasDead ? [{ label: 'Dead letters and waiting work', line: line('status') }] : []),
    { label: 'See all checks', line: line('doctor', [], { all: true }) },
  ];
  return {
    ...found,
    data,
    next: all ? replaceSecrets(deployment.connector.shops, await credentials) : next,
  };
}

/** What is typed belongs into a terminal alone: the console shows these to copy. */
export function replaceSecrets(
  shops: readonly Pick<Shop, 'domain'>[],
  credentials: readonly CredentialStatus[],
): readonly Suggestion[] {
  const [first, ...others] = shops.map(({ domain }) => domain);
  const asks = [{ name: 'shop', label: 'shop' }];
  const isRotating = credentials.some(({ olderUntil }) => olderUntil !== undefined);
  const say =
    'The previous webhook secret is still accepted. Another new one ends that at once; you are asked first.';
  return SECRET_PURPOSES.map((purpose) => ({
    label: `Replace the ${purpose} secret`,
    line: line('secrets set', [purpose], {
      ...(others.length === 0 && { shop: first }),
      ...(purpose === 'webhook' && { rotate: true }),
    }),
    ...(purpose === 'webhook' && isRotating && { say }),
    ...(others.length > 0 && { asks }),
  }));
}

function openChecks(
  deployment: Deployment,
  { storeChecks, eventsCheck }: ChecksByPlatform,
  credentials: Promise<readonly CredentialStatus[]>,
): readonly Check[] {
  const { connector } = deployment;
  const { storefront } = connector;
  const services = openShopServices(deployment);
  const deps: ShopDeps = { deployment, services: () => services, shops: connector.shops };
  const withSecrets: readonly Check[] = [
    secretsCheck(deployment, credentials),
    appSecretsCheck(deps),
    webhookAddressCheck(deps),
    ...storeChecks(deps),
    eventsCheck(deps),
    loyaltyCheck(deps),
    orderOriginCheck(deps),
    ...(storefront ? [rewardsCheck(deps, storefront.rewardTypes)] : []),
  ];
  // Tells an operator from one who may only look.
  const mayRead = credentials.then((all) => !all.some(({ isDenied }) => isDenied));
  const unread = mayRead.then((may) => (may ? [] : withSecrets.map(({ name }) => name)));
  return [
    settingsCheck(deployment),
    goLiveCheck({ ...deps, shops: connector.shops }),
    stackCheck(deployment),
    accessCheck(deployment, unread),
    concurrencyCheck(deployment),
    pausesCheck(deployment),
    ...withSecrets.map((check) => ({
      ...check,
      look: async () => ((await mayRead) ? check.look() : []),
    })),
    signaturesCheck(deployment, credentials),
    alarmsCheck(deployment),
  ];
}

/** Reads the secrets to compare them; they do not leave this process. */
function appSecretsCheck({ shops, deployment }: ShopDeps): Check {
  const client = new SecretsManager(deployment.aws);
  return {
    name: 'app secrets',
    async look() {
      const all = shops.map(async (shop) => {
        const found = await readSecret(deployment, shop, 'webhook', client);
        const { current, previous } = found.kind === 'there' ? found.fields : {};
        const webhook = [current, previous].filter((secret) => typeof secret === 'string');
        return { shop: shop.domain, webhook };
      });
      return judgeAppSecrets(await Promise.all(all));
    },
  };
}

/** The secrets that sign a shop's webhooks: the current one and, during a rotation, the older one. */
interface AppSecrets {
  readonly shop: string;
  readonly webhook: readonly string[];
}

export function judgeAppSecrets(all: readonly AppSecrets[]): readonly Finding[] {
  const shared = all.flatMap((one, index) =>
    all
      .slice(index + 1)
      .filter(({ webhook }) => webhook.some((secret) => one.webhook.includes(secret)))
      .map((other) =>
        warn(
          `${one.shop} and ${other.shop} share one app secret: a webhook of one is valid for the other`,
          'Give each shop an app of its own. Until then a captured webhook can be replayed to the other shop.',
        ),
      ),
  );
  if (shared.length > 0) return shared;
  return all.length > 1 ? [pass('no two shops share an app secret')] : [];
}

export function signaturesCheck(
  deployment: Deployment,
  credentials: Promise<readonly CredentialStatus[]>,
): Check {
  const { shops, deployment: deployed } = deployment.connector;
  return {
    name: 'signatures',
    async look() {
      if (deployed.monitoring === 'basic') return [NOT_COUNTED];
      const now = new Date();
      const hour = await readLastHour(openFigures(deployment, now), now);
      const domains = shops.map(({ domain }) => domain);
      return [judgeSignatures(hour, { shops: domains, now, credentials: await credentials })];
    },
  };
}
