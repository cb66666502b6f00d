import { relative } from 'node:path';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { checkInstalledApp } from '../doctor/check-app.ts';
import { checkAdminApi } from '../doctor/check-services.ts';
import { printResult } from '../doctor/examine.ts';
import { type Finding, fail, info, pass, warn } from '../doctor/finding.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { readSubscriptions } from '../status/read-subscriptions.ts';
import { foreignIn, readAppFolder } from './app-folder.ts';
import { compareApp } from './compare-app.ts';
import { type AppOptions, releaseCommand, shopsOf } from './write-app.ts';

/** No API shows these; the file is all that can be compared. */
const UNSEEN =
  'no API shows which version of the app is released, its app proxy, the compliance topics, the subscriptions of its file, and where extensions are placed';

/** Each difference between the app's folder, the settings, the deployed addresses and the store; one line for each. */
export async function checkApp(session: Session, options: AppOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const shops = [];
  for (const shop of shopsOf(deployment, options)) {
    const { folder, wanted, written } = await readAppFolder(deployment, shop, options);
    const command = nextCommand(deployment, writeCommand(shop, options));
    const write =
      foreignIn({ written }).length > 0
        ? `${command} --yes replaces the file; see without --yes what would be lost`
        : command;
    const place = relative(process.cwd(), folder) || '.';
    const release = deployment.where === 'aws' ? releaseCommand(place) : undefined;
    const differences = compareApp(wanted, written, { write, release });
    const results = [
      {
        name: 'folder',
        findings: differences.length > 0 ? differences : [pass(`${place} is as it should be`)],
      },
      { name: 'scopes', findings: await judgeStore(deployment, shop) },
      { name: 'subscriptions', findings: await judgeSubscriptions(deployment, shop, release) },
      { name: 'app', findings: await judgeApp(deployment, shop) },
      { name: 'not seen', findings: [info(UNSEEN)] },
    ];
    shops.push({ shop: shop.domain, folder: place, checks: results });
    if (json) continue;
    terminal.line(`${shop.domain}, ${place}`);
    for (const result of results) printResult(terminal, result);
  }
  const findings = shops.flatMap(({ checks }) => checks.flatMap((check) => check.findings));
  const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
  if (json) terminal.json({ failed, apps: shops });
  return failed === 0 ? EXIT.fine : EXIT.failed;
}

const writeCommand = ({ domain }: Shop, { to }: AppOptions) =>
  ['app write', `--shop ${domain}`, ...(to === undefined ? [] : [`--to ${to}`])].join(' ');

async function judgeStore(deployment: Deployment, shop: Shop): Promise<readonly Finding[]> {
  const ask = openShopServices(deployment).ask(shop);
  const doNext = (command: string) => nextCommand(deployment, command);
  return checkAdminApi(shop, ask, doNext, deployment.connector);
}

function judgeApp(deployment: Deployment, shop: Shop): Promise<readonly Finding[]> {
  const ask = openShopServices(deployment).ask(shop);
  return checkInstalledApp(shop, ask, deployment.region, new Date());
}

async function judgeSubscriptions(
  deployment: Deployment,
  { domain }: Shop,
  release: string | undefined,
): Promise<readonly Finding[]> {
  const all = await readSubscriptions(deployment);
  const sync = { run: nextCommand(deployment, `webhooks sync --yes --shop ${domain}`) };
  return all
    .filter(({ shop }) => shop === domain)
    .flatMap(({ found }) => {
      if (found.kind === 'unknown')
        return [fail(found.why, { run: nextCommand(deployment, 'doctor') })];
      const { right, faults, notes } = found.value;
      return [
        ...(faults.length > 0 ? faults.map((one) => fail(one, sync)) : [pass(`${right} right`)]),
        ...notes.map((note) =>
          warn(note, `Release the folder${release === undefined ? '' : `: ${release}`}`),
        ),
      ];
    });
}
