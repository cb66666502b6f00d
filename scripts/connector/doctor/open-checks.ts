import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { SECRET_PURPOSES, secretName } from '../../../shared/services/shop-secrets.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { openShopServices } from '../deployment/services.ts';
import { pauseText, readPauses, resumeText } from '../pause/read-pauses.ts';
import { readCredentials } from '../secrets/read-secret.ts';
import { metricsOf } from '../status/collect-status.ts';
import { readLastHour } from '../status/last-hour.ts';
import { readSubscriptions } from '../status/read-subscriptions.ts';
import { readTokens } from '../storefront/point-tokens.ts';
import { checkAlarms } from './check-alarms.ts';
import { checkInstalledApp } from './check-app.ts';
import {
  checkAccess,
  checkConcurrency,
  checkOutputs,
  deployAgain,
  mayReadSecrets,
} from './check-aws.ts';
import { judgeClock, readClocks } from './check-clock.ts';
import { checkCurrencies } from './check-currency.ts';
import { judgePointTokens } from './check-point-events.ts';
import { checkOrigins, checkRewards } from './check-program.ts';
import { checkAdminApi, checkLoyalty } from './check-services.ts';
import { checkGoLive, checkSettings } from './check-settings.ts';
import {
  checkWebhookAddress,
  judgeAppSecrets,
  judgeClientIds,
  judgeRefusals,
  readAppSecrets,
} from './check-webhooks.ts';
import { about, type Check, type Finding, fail, info, pass, warn } from './finding.ts';
import { listGuesses } from './list-guesses.ts';

/** All checks, in the order in which they are printed. */
export function openChecks(deployment: Deployment, explain: (error: unknown) => string): Check[] {
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
  const withSecrets = (name: string, run: Check['run']): Check => ({
    name,
    run: async () =>
      (await readsSecrets) ? run() : [info('not checked: your AWS credentials read no secrets')],
  });

  return [
    { name: 'settings', run: async () => checkSettings(deployment) },
    { name: 'go-live', run: () => checkGoLive(connector.shops, openLedger(deployment)) },
    { name: 'stack', run: async () => checkOutputs(deployment) },
    { name: 'AWS access', run: async () => checkAccess(deployment, explain, await readsSecrets) },
    { name: 'concurrency', run: () => checkConcurrency(deployment) },
    { name: 'pauses', run: judgePauses },
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
    { name: 'clock', run: async () => judgeClock(await readClocks(deployment)) },
    { name: 'alarms', run: () => checkAlarms(deployment) },
    { name: 'assumptions', run: async () => listGuesses(connector) },
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
