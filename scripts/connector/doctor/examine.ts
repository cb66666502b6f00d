import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { LEDGER_FORMAT } from '../../../shared/core/events/formats.ts';
import { SECRET_PURPOSES, secretName } from '../../../shared/services/shop-secrets.ts';
import {
  about,
  type Check,
  type CheckResult,
  type Finding,
  fail,
  info,
  pass,
  runChecks,
  warn,
} from '../checks/check.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { explainAwsError } from '../deployment/explain-aws-error.ts';
import { openShopServices } from '../deployment/services.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import { pauseText, readPauses, resumeText } from '../pause/read-pauses.ts';
import { readCredentials } from '../secrets/read-secret.ts';
import type { CommonOptions, Session } from '../session.ts';
import { metricsOf, readSubscriptions } from '../status/collect-status.ts';
import { readLastHour } from '../status/figures.ts';
import { readTokens } from '../storefront/set-up.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted, printable, wrap } from '../terminal/text.ts';
import {
  checkAccess,
  checkAlarms,
  checkConcurrency,
  checkOutputs,
  deployAgain,
  judgeClock,
  mayReadSecrets,
  readClocks,
} from './check-aws.ts';
import {
  checkAdminApi,
  checkCurrencies,
  checkInstalledApp,
  checkLoyalty,
  checkOrigins,
  checkRewards,
  judgePointTokens,
} from './check-services.ts';
import { checkGoLive, checkSettings, listGuesses } from './check-settings.ts';
import {
  checkWebhookAddress,
  judgeAppSecrets,
  judgeClientIds,
  judgeRefusals,
  readAppSecrets,
} from './check-webhooks.ts';

/** For `--json`. */
export interface DoctorDocument
  extends Pick<Deployment, 'stack' | 'stage' | 'region' | 'where' | 'version'> {
  readonly commandVersion: string;
  /** The newest form of the ledger's items that this command reads. */
  readonly ledgerFormat: number;
  readonly failed: number;
  readonly warned: number;
  readonly checks: readonly CheckResult[];
}

/** Find the deployment → run all checks in parallel → print each finding with its fix. */
export async function examine(
  { terminal, json, findDeployment }: Session,
  options: CommonOptions,
): Promise<ExitCode> {
  // Throws a `Problem` for wrong settings or a missing stack.
  const deployment = await findDeployment();
  const explain = (error: unknown) => problemOf(error, options);
  const checks = openChecks(deployment, (error) => explain(error).what);
  const results: CheckResult[] = [];
  if (!json) terminal.line(`${placeOf(deployment)}\n`);
  for (const result of await runChecks(checks, options)) {
    results.push(result);
    if (!json) printResult(terminal, result);
  }
  const findings = results.flatMap((result) => result.findings);
  const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
  const warned = findings.filter(({ verdict }) => verdict === 'warn').length;
  const { stack, stage, region, where, version } = deployment;
  const versions = { version, commandVersion: VERSION, ledgerFormat: LEDGER_FORMAT };
  if (json) {
    const document: DoctorDocument = {
      ...{ stack, stage, region, where, ...versions, failed, warned },
      checks: results,
    };
    terminal.json(document);
  } else terminal.line(`\n${summaryOf(failed, warned)}`);
  return failed === 0 ? EXIT.fine : EXIT.failed;
}

function problemOf(error: unknown, options: CommonOptions) {
  const problem = error instanceof Problem ? error : explainAwsError(error, options);
  const said = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  const what = (problem?.message ?? said).replace(/\s+/g, ' ').replace(/\.$/, '');
  return { what, fix: problem?.next ?? 'Run the command again; --verbose shows more.' };
}

const placeOf = ({ stack, region, where }: Deployment) =>
  `${stack} ${where === 'aws' ? `in ${region}` : 'on this machine'}`;

const MARKS = {
  pass: { text: 'pass', style: 'green' },
  warn: { text: 'warn', style: 'yellow' },
  fail: { text: 'FAIL', style: 'red' },
  info: { text: 'info', style: 'dim' },
  unknown: { text: 'warn', style: 'yellow' },
} as const;

const MARK_WIDTH = 6;
const NAME_WIDTH = 14;
const LEAST_ROOM = 40;

export function printResult(terminal: Terminal, { name, findings }: CheckResult): void {
  const indent = ' '.repeat(MARK_WIDTH + NAME_WIDTH);
  const room = Math.max(terminal.width - indent.length, LEAST_ROOM);
  for (const [index, { verdict, what, fix }] of findings.entries()) {
    const { text, style } = MARKS[verdict];
    const [first = '', ...rest] = wrap(printable(what), room);
    terminal.line(`${terminal.style(style, text)}  ${name.padEnd(NAME_WIDTH)}${first}`);
    for (const more of rest) terminal.line(`${indent}${more}`);
    // Not wrapped: a command that is broken over two lines cannot be copied.
    const isLast = fix !== findings[index + 1]?.fix;
    if (fix !== undefined && isLast) terminal.line(`${indent}fix: ${printable(fix)}`);
  }
}

function summaryOf(failed: number, warned: number): string {
  const warnings = counted(warned, 'warning');
  if (failed === 0) return warned === 0 ? 'All checks passed.' : `Nothing failed; ${warnings}.`;
  return `${failed} failed, ${warnings}. Fix the first one and run the command again.`;
}

/** All checks, in the order in which they are printed. */
function openChecks(deployment: Deployment, explain: (error: unknown) => string): Check[] {
  const { connector, aws, output } = deployment;
  const { storefront } = connector;
  const services = openShopServices(deployment);
  const secrets = new SecretsManagerClient(aws);
  const doNext = (command: string) => nextCommand(deployment, command);
  const prefix = output('SecretsPrefix');
  const credentials = readCredentials(secrets, prefix, connector.shops, explain);
  const missing = async () =>
    new Set((await credentials).flatMap((one) => (one.state === 'missing' ? [one.shop] : [])));
  /** A shop that is in the settings only has nothing yet that could be checked. */
  const deployedShops = async () => {
    const undeployed = await missing();
    return connector.shops.filter(({ domain }) => !undeployed.has(domain));
  };
  const forEachShop = async (look: (shop: Shop) => Promise<readonly Finding[]>) =>
    (await Promise.all((await deployedShops()).map(look))).flat();
  const readsSecrets = mayReadSecrets(secrets, deployment);
  /** A check that needs secrets says nothing of the deployment when the caller may not read them. */
  const withSecrets = (name: string, look: Check['look']): Check => ({
    name,
    look: async () =>
      (await readsSecrets) ? look() : [info('not checked: your AWS credentials read no secrets')],
  });

  return [
    { name: 'settings', look: async () => checkSettings(deployment) },
    { name: 'go-live', look: () => checkGoLive(connector.shops, openLedger(deployment)) },
    { name: 'stack', look: async () => checkOutputs(deployment) },
    { name: 'AWS access', look: async () => checkAccess(deployment, explain, await readsSecrets) },
    { name: 'concurrency', look: () => checkConcurrency(deployment) },
    { name: 'pauses', look: judgePauses },
    withSecrets('secrets', judgeSecrets),
    withSecrets('app secrets', async () => {
      const undeployed = await missing();
      const every = await readAppSecrets(secrets, deployment);
      const all = every.filter(({ shop }) => !undeployed.has(shop));
      return [...judgeAppSecrets(all), ...(storefront ? judgeClientIds(all) : [])];
    }),
    withSecrets('webhooks', async () => [
      ...(await forEachShop((shop) => checkWebhookAddress(shop, deployment, secrets))),
      ...(await judgeLastHour()),
    ]),
    withSecrets('Admin API', () =>
      forEachShop((shop) => checkAdminApi(shop, services.ask(shop), doNext, connector)),
    ),
    withSecrets('app', () =>
      forEachShop((shop) =>
        checkInstalledApp(shop, services.ask(shop), deployment.region, new Date()),
      ),
    ),
    withSecrets('currency', async () => checkCurrencies(await deployedShops(), services.ask)),
    withSecrets('subscriptions', judgeSubscriptions),
    withSecrets('loyalty', () =>
      forEachShop((shop) => checkLoyalty(shop, services.loyalty(shop), doNext)),
    ),
    withSecrets('order origin', () =>
      forEachShop((shop) => checkOrigins(shop, services.store, services.loyalty(shop), new Date())),
    ),
    ...(storefront
      ? [
          withSecrets('point events', () =>
            forEachShop(async ({ domain, path }) => {
              const name = secretName(prefix, path, 'points');
              return [judgePointTokens(domain, await readTokens(secrets, name), doNext)];
            }),
          ),
          withSecrets('rewards', () =>
            forEachShop((shop) =>
              checkRewards(shop, services.loyalty(shop), storefront.rewardTypes),
            ),
          ),
        ]
      : []),
    { name: 'clock', look: async () => judgeClock(await readClocks(deployment)) },
    { name: 'alarms', look: () => checkAlarms(deployment) },
    { name: 'assumptions', look: async () => listGuesses(connector) },
  ];

  async function judgePauses(): Promise<readonly Finding[]> {
    const pauses = await readPauses(openLedger(deployment), connector.shops, new Date());
    if (pauses.length === 0) return [pass('no shop is paused')];
    return pauses.map((pause) =>
      about(
        { kind: 'pause', ...pause },
        pause.by === 'service' && pause.why === 'throttled'
          ? info(pauseText(pause))
          : warn(pauseText(pause), { run: doNext(resumeText(pause)) }),
      ),
    );
  }

  async function judgeSecrets(): Promise<readonly Finding[]> {
    const undeployed = await missing();
    const wrong = (await credentials).filter(
      ({ shop, state }) => state !== 'there' && !undeployed.has(shop),
    );
    if (wrong.length === 0 && undeployed.size === 0) {
      return [pass(`${SECRET_PURPOSES.join(', ')} are set for ${shopsText()}`)];
    }
    return [
      ...[...undeployed].map((shop) =>
        fail(
          `${shop} is in the settings, but was never deployed: it has no secrets yet`,
          deployAgain(deployment),
        ),
      ),
      ...wrong.map(({ shop, purpose, why }) =>
        fail(`${shop}: the ${purpose} secret ${why}`, {
          run: doNext(`secrets set ${purpose} --shop ${shop}`),
        }),
      ),
    ];
  }

  async function judgeLastHour(): Promise<readonly Finding[]> {
    if (connector.deployment.monitoring === 'basic') return [];
    const now = new Date();
    const hour = await readLastHour(metricsOf(deployment, now).readFigures, now);
    return judgeRefusals(hour, connector.shops, doNext, now);
  }

  async function judgeSubscriptions(): Promise<readonly Finding[]> {
    const undeployed = await missing();
    const all = await readSubscriptions(deployment);
    return all.flatMap(({ shop, found }): Finding[] => {
      if (undeployed.has(shop)) return [];
      if (found.kind === 'unknown') {
        return [warn(`${shop}: ${found.why}`, 'Fix what the Admin API check above reports.')];
      }
      const { right, faults, notes } = found.value;
      const [first, ...others] = faults;
      const more = others.length === 0 ? '' : `, and ${others.length} more`;
      return [
        first === undefined
          ? pass(`${shop}: ${right} right`)
          : fail(`${shop}: ${first}${more}`, { run: doNext(`webhooks sync --shop ${shop}`) }),
        ...notes.map((note) => warn(`${shop}: ${note}`, 'See docs/runbook.md.')),
      ];
    });
  }

  function shopsText(): string {
    return connector.shops.map(({ domain }) => domain).join(', ');
  }
}
