import { API_VERSION } from '../../../../shared/shopify/entity-id.ts';
import { wantedScopes } from '../../app/describe-app.ts';
import { openShopServices } from '../../deployment/services.ts';
import { checkAdminApi } from '../../doctor/check-services.ts';
import type { SecretFields } from '../../secrets/secret-values.ts';
import { tryCredentials } from '../../secrets/try-credentials.ts';
import {
  doNextOf,
  keepFields,
  obtainTried,
  type ShopSetup,
  storedFields,
  titleOf,
} from '../shop-setup.ts';
import { blocked, done, left, open, type Step, say } from '../step.ts';
import { obtainValue, type WantedValue, waitForUser } from '../world.ts';

const DASHBOARD = 'https://dev.shopify.com/dashboard';

const CLIENT_ID: WantedValue = {
  question: "the app's client ID",
  variable: 'CONNECTOR_CLIENT_ID',
};
const CLIENT_SECRET: WantedValue = {
  question: "the app's client secret",
  variable: 'CONNECTOR_CLIENT_SECRET',
};
const ACCESS_TOKEN: WantedValue = {
  question: "the app's Admin API access token",
  variable: 'CONNECTOR_ACCESS_TOKEN',
};

/** The client secret opens the Admin API and signs the webhooks: it is asked for once and stored twice. */
export function appStep(setup: ShopSetup): Step {
  const { world, deployment, shop } = setup;
  return {
    title: titleOf(setup, 'Shopify app'),
    async look() {
      const [store, webhook] = await readBoth();
      return store && webhook
        ? done('its credentials are stored')
        : open('The connector reads the store through an app of your own.');
    },
    async act() {
      const [found, webhook] = await readBoth();
      const store = found ?? (await obtainStore(webhook?.current));
      // First, because the webhook secret follows from it: a run that ends here asks for nothing again.
      if (!found) await keepFields(setup, 'store', store as SecretFields);
      if (webhook) return undefined;
      const { clientSecret } = store;
      const current =
        typeof clientSecret === 'string' ? clientSecret : await obtainValue(CLIENT_SECRET);
      await keepFields(setup, 'webhook', { current });
      return undefined;
    },
  };

  function readBoth() {
    return Promise.all([storedFields(setup, 'store'), storedFields(setup, 'webhook')]);
  }

  async function obtainStore(signing: unknown): Promise<Readonly<Record<string, unknown>>> {
    if (world.where === 'aws') describeDashboard(setup);
    if (world.options.olderApp) {
      const wanted = { accessToken: ACCESS_TOKEN };
      return obtainTried(setup, { purpose: 'store', wanted, tryOut });
    }
    if (typeof signing !== 'string') {
      const wanted = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
      return obtainTried(setup, { purpose: 'store', wanted, tryOut });
    }
    say(world.terminal, 'The stored webhook secret is taken as the client secret of the app.');
    const known = { clientSecret: signing };
    return obtainTried(setup, { purpose: 'store', wanted: { clientId: CLIENT_ID }, known, tryOut });
  }

  async function tryOut(fields: SecretFields): Promise<string | undefined> {
    const tried = await tryCredentials(deployment, shop, 'store', fields);
    return tried.kind === 'accepted' ? undefined : tried.why;
  }
}

function describeDashboard({ world, shop, deployment }: ShopSetup): void {
  const scopes = scopesText(deployment.connector, shop);
  const lines = [
    `a. Open ${DASHBOARD}: Apps, Create app, Start from Dev Dashboard; give it a name, Create.`,
    `b. Versions: as scopes enter ${scopes}`,
    `   and as Webhooks API version ${API_VERSION}; then Release.`,
    `c. Home, Install app: choose ${shop.domain}.`,
    'd. Settings: copy the client ID and the client secret.',
  ];
  say(world.terminal, lines.join('\n'));
}

const scopesText = (...given: Parameters<typeof wantedScopes>): string =>
  wantedScopes(...given)
    .map(({ scope }) => scope)
    .join(',');

/** Reads from the store what the app may do there. */
export function scopesStep(setup: ShopSetup): Step {
  const { deployment, shop } = setup;
  const look = async () => {
    // A new client each time: a token keeps the scopes that it was issued with.
    const ask = openShopServices(deployment).ask(shop);
    const findings = await checkAdminApi(shop, ask, doNextOf(setup), deployment.connector);
    const of = (verdict: string) => findings.filter((one) => one.verdict === verdict);
    const [failed] = of('fail');
    if (failed)
      return {
        missing: of('fail')
          .map(({ what }) => what)
          .join('\n'),
      };
    const [warning] = of('warn');
    return warning ? left(`${warning.what}.`, warning.fix ?? '') : done('it has all scopes');
  };
  return {
    title: titleOf(setup, 'Scopes of the app'),
    async look() {
      const found = await look();
      return 'missing' in found ? open(found.missing) : found;
    },
    async act() {
      const scopes = scopesText(deployment.connector, shop);
      const where = `${DASHBOARD}, the app, Versions: as scopes enter ${scopes}, then Release; approve them in the admin of ${shop.domain}: Settings, Apps.`;
      say(setup.world.terminal, where);
      await waitForUser('When that is done:');
      const found = await look();
      return 'missing' in found ? blocked(`${found.missing}.`, where) : found;
    },
  };
}
