import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SECRET_PURPOSES, secretName } from '../../../shared/services/secret-forms.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { openShopServices } from '../deployment/services.ts';
import { pauseText, readPauses, resumeText } from '../pause/read-pauses.ts';
import { readCredentials } from '../secrets/read-secret.ts';
import { readSubscriptions } from '../status/read-subscriptions.ts';
import { readTokens } from '../storefront/point-tokens.ts';
import { checkAlarms } from './check-alarms.ts';
import { checkAccess, checkConcurrency, checkOutputs, mayReadSecrets } from './check-aws.ts';
import { judgeClock, readClocks } from './check-clock.ts';
import { judgePointTokens } from './check-point-events.ts';
import { checkOrigins, checkRewards } from './check-program.ts';
import { checkAdminApi, checkLoyalty } from './check-services.ts';
import { checkGoLive, checkSettings } from './check-settings.ts';
import {
  checkWebhookAddress,
  judgeAppSecrets,
  judgeClientIds,
  readAppSecrets,
} from './check-webhooks.ts';
import { type Check, type Finding, fail, info, pass, warn } from './finding.ts';
import { listGuesses } from './list-guesses.ts';

/** All checks, in the order in which they are printed. */
export function openChecks(deployment: Deployment, explain: (error: unknown) => string): Check[] {
  const { connector, aws, output } = deployment;
  const { storefront } = connector;
  const services = openShopServices(deployment);
  const secrets = new SecretsManagerClient(aws);
  const doNext = (command: string) => nextCommand(deployment, command);
  const forEachShop = async (
    look: (shop: (typeof connector.shops)[number]) => Promise<readonly Finding[]>,
  ) => (await Promise.all(connector.shops.map(look))).flat();
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
      const all = await readAppSecrets(secrets, deployment);
      return [...judgeAppSecrets(all), ...(storefront ? judgeClientIds(all) : [])];
    }),
    withSecrets('webhooks', () =>
      forEachShop((shop) => checkWebhookAddress(shop, deployment, secrets)),
    ),
    withSecrets('Admin API', () =>
      forEachShop((shop) => checkAdminApi(shop, services.ask(shop), doNext, connector)),
    ),
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
              const name = secretName(output('SecretsPrefix'), path, 'points');
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
      pause.by === 'service' && pause.why === 'throttled'
        ? info(pauseText(pause))
        : warn(pauseText(pause), doNext(resumeText(pause))),
    );
  }

  async function judgeSecrets(): Promise<readonly Finding[]> {
    const prefix = output('SecretsPrefix');
    const states = await readCredentials(secrets, prefix, connector.shops, explain);
    const wrong = states.filter(({ state }) => state !== 'there');
    if (wrong.length === 0) {
      return [pass(`${SECRET_PURPOSES.join(', ')} are set for ${shopsText()}`)];
    }
    return wrong.map(({ shop, purpose, why }) =>
      fail(
        `${shop}: the ${purpose} secret ${why}`,
        doNext(`secrets set ${purpose} --shop ${shop}`),
      ),
    );
  }

  async function judgeSubscriptions(): Promise<readonly Finding[]> {
    const all = await readSubscriptions(deployment);
    return all.flatMap(({ shop, found }): Finding[] => {
      if (found.kind === 'unknown') {
        return [warn(`${shop}: ${found.why}`, 'Fix what the Admin API check above reports.')];
      }
      const { right, faults, notes } = found.value;
      const [first, ...others] = faults;
      const more = others.length === 0 ? '' : `, and ${others.length} more`;
      return [
        first === undefined
          ? pass(`${shop}: ${right} right`)
          : fail(`${shop}: ${first}${more}`, doNext(`webhooks sync --shop ${shop}`)),
        ...notes.map((note) => warn(`${shop}: ${note}`, 'See docs/runbook.md.')),
      ];
    });
  }

  function shopsText(): string {
    return connector.shops.map(({ domain }) => domain).join(', ');
  }
}
