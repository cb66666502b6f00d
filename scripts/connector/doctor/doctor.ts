import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { VERSION } from '../../../shared/config/release.ts';
import { LEDGER_FORMAT } from '../../../shared/core/events/formats.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import {
  type Check,
  type ChecksData,
  checksDocument,
  fail,
  info,
  pass,
  runChecks,
  type ShopDeps,
  warn,
} from '../checks/check.ts';
import { loyaltyCheck, orderOriginCheck, rewardsCheck } from '../checks/loyalty.ts';
import { assumptionsCheck, goLiveCheck, settingsCheck } from '../checks/settings.ts';
import { adminApiCheck, currencyCheck, installedAppCheck } from '../checks/store.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { explainAwsError, isDenied } from '../deployment/explain-aws-error.ts';
import { openShopServices } from '../deployment/services.ts';
import type { Document } from '../document/document.ts';
import { line } from '../document/line.ts';
import {
  needsPerson,
  pauseSuggestion,
  pauseText,
  readPauses,
  resumeSuggestion,
} from '../pause/read-pauses.ts';
import { readCredentials, readSecret } from '../secrets/read-secret.ts';
import type { CommonOptions, Session } from '../session/session.ts';
import { storefrontCheck } from '../storefront/set-up.ts';
import { subscriptionsCheck } from '../webhooks/webhooks.ts';
import { accessCheck, alarmsCheck, clockCheck, concurrencyCheck, stackCheck } from './aws.ts';
import { appSecretsCheck, secretsCheck, signaturesCheck, webhookAddressCheck } from './secrets.ts';

export interface DoctorOptions extends CommonOptions {
  readonly all?: boolean;
}

interface DoctorData
  extends ChecksData,
    Pick<Deployment, 'stack' | 'stage' | 'region' | 'where' | 'version'> {
  readonly commandVersion: string;
  /** The newest form of the ledger's items that this command reads. */
  readonly ledgerFormat: number;
}

/** Looks at everything that a deployment needs, and changes nothing. */
export async function examine(
  { findDeployment }: Pick<Session, 'findDeployment'>,
  options: DoctorOptions,
): Promise<Document<DoctorData>> {
  // Throws a `Problem` for wrong settings or a missing stack.
  const deployment = await findDeployment();
  const { all = false } = options;
  const checks = await runChecks(openChecks(deployment, options), options);
  const { stack, stage, region, where, version } = deployment;
  const versions = { version, commandVersion: VERSION, ledgerFormat: LEDGER_FORMAT };
  const title = `${stack} ${where === 'aws' ? `in ${region}` : 'on this machine'}`;
  const found = checksDocument(title, checks, { all });
  const data = { stack, stage, region, where, ...versions, checks };
  const next = [{ label: 'See all checks', line: line('doctor', [], { all: true }) }];
  return { ...found, data, ...(!all && { next }) };
}

/** All checks, in the order in which they are shown. */
function openChecks(deployment: Deployment, options: CommonOptions): readonly Check[] {
  const { connector, aws, output } = deployment;
  const { storefront } = connector;
  const client = new SecretsManagerClient(aws);
  const explain = (error: unknown) => explainAwsError(error, options)?.message ?? String(error);
  const prefix = output('SecretsPrefix');
  const credentials = readCredentials(client, prefix, connector.shops, explain);
  const services = openShopServices(deployment);
  const deps: ShopDeps = {
    deployment,
    services: () => services,
    shops: connector.shops,
  };
  const withSecrets: readonly Check[] = [
    secretsCheck(deployment, credentials),
    appSecretsCheck(deps, client),
    webhookAddressCheck(deps, client),
    adminApiCheck(deps),
    installedAppCheck(deps),
    currencyCheck(deps),
    subscriptionsCheck(deps),
    loyaltyCheck(deps),
    orderOriginCheck(deps),
    ...(storefront ? [storefrontCheck(deps), rewardsCheck(deps, storefront.rewardTypes)] : []),
  ];
  const mayRead = mayReadSecrets(client, deployment);
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
    signaturesCheck(deployment),
    clockCheck(deployment),
    alarmsCheck(deployment),
    assumptionsCheck(connector),
  ];
}

/** Tells an operator from one who may only look. */
async function mayReadSecrets(
  client: SecretsManagerClient,
  { connector, output }: Deployment,
): Promise<boolean> {
  const [shop] = connector.shops;
  const name = secretName(output('SecretsPrefix'), shop?.path ?? '', 'webhook');
  try {
    await readSecret(client, name, 'webhook');
    return true;
  } catch (error) {
    // Another fault is for the checks to report.
    return !isDenied(error);
  }
}

function pausesCheck(deployment: Deployment): Check {
  const { shops } = deployment.connector;
  return {
    name: 'pauses',
    async look() {
      const pauses = await readPauses(openLedger(deployment), shops, new Date());
      if (pauses.length === 0) {
        return [pass('no shop is paused', pauseSuggestion(deployment.connector))];
      }
      return pauses.map((pause) => {
        if (needsPerson(pause)) return fail(pauseText(pause), resumeSuggestion(pause));
        return pause.by === 'service'
          ? info(pauseText(pause))
          : warn(pauseText(pause), resumeSuggestion(pause));
      });
    },
  };
}
