import { VERSION } from '../../../shared/config/release.ts';
import { LEDGER_FORMAT } from '../../../shared/core/events/formats.ts';
import { accessCheck, alarmsCheck, concurrencyCheck, stackCheck } from '../ground/checks/aws.ts';
import {
  type Check,
  type ChecksData,
  checksDocument,
  findingsBlock,
  runChecks,
  type ShopDeps,
} from '../ground/checks/check.ts';
import { loyaltyCheck, orderOriginCheck, rewardsCheck } from '../ground/checks/loyalty.ts';
import { pausesCheck } from '../ground/checks/read-pauses.ts';
import {
  readCredentials,
  secretsCheck,
  webhookAddressCheck,
} from '../ground/checks/read-secret.ts';
import { flowCheck, goLiveCheck, settingsCheck } from '../ground/checks/settings.ts';
import type { StoreRooms } from '../ground/checks/step.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import { openShopServices } from '../ground/session/services.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import type { Document } from '../ground/terminal/document.ts';
import { line } from '../ground/terminal/line.ts';
import { appSecretsCheck, signaturesCheck } from './doctor-secrets.ts';

export interface DoctorOptions extends CommonOptions {
  readonly all?: boolean;
}

/** Looks at everything that a deployment needs, and changes nothing. */
export async function examine(
  { findDeployment }: Pick<Session, 'findDeployment'>,
  options: DoctorOptions,
  rooms: StoreRooms,
): Promise<Document<ChecksData>> {
  // Throws a `Problem` for wrong settings or a missing stack.
  const deployment = await findDeployment();
  const { all = false } = options;
  const checks = await runChecks(openChecks(deployment, options, rooms), options);
  const { stack, stage, region, where, version } = deployment;
  // The newest form of the ledger's items that this command reads.
  const versions = { version, commandVersion: VERSION, ledgerFormat: LEDGER_FORMAT };
  const title = `${stack} ${where === 'aws' ? `in ${region}` : 'on this machine'}`;
  const found = checksDocument(title, checks, { all });
  const data = { stack, stage, region, where, ...versions, checks };
  const next = [{ label: 'See all checks', line: line('doctor', [], { all: true }) }];
  if (!all) return { ...found, data, next };
  const sections = Map.groupBy(checks, ({ name }) => SECTIONS.get(name) ?? 'Set-up');
  const blocks = [...sections].map(([of, own]) => findingsBlock(own, { title: of }));
  return { ...found, data, blocks };
}

/** What people switch, and who is told: apart from what was set up once. */
const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['pauses', 'Calls to the loyalty service'],
  ['alarms', 'Alarms'],
]);

/** All checks, in the order in which they are shown. */
function openChecks(
  deployment: Deployment,
  options: CommonOptions,
  { storeChecks, eventsCheck }: StoreRooms,
): readonly Check[] {
  const { connector } = deployment;
  const { storefront } = connector;
  const credentials = readCredentials(deployment, options);
  const services = openShopServices(deployment);
  const deps: ShopDeps = {
    deployment,
    services: () => services,
    shops: connector.shops,
  };
  const withSecrets: readonly Check[] = [
    secretsCheck(deployment, credentials),
    appSecretsCheck(deps),
    webhookAddressCheck(deps),
    ...storeChecks(deps),
    eventsCheck(deps),
    loyaltyCheck(deps),
    orderOriginCheck(deps),
    ...(storefront ? [rewardsCheck(deps, storefront)] : []),
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
    ...(storefront?.flow ? [flowCheck(deps, storefront.flow)] : []),
    ...withSecrets.map((check) => ({
      ...check,
      look: async () => ((await mayRead) ? check.look() : []),
    })),
    signaturesCheck(deployment, credentials),
    alarmsCheck(deployment),
  ];
}
