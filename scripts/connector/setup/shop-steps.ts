import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET_MAX_AGE_MS } from '../../../shared/aws/secrets.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import { shopAddress } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import {
  type AppFolder,
  foreignIn,
  readAppFolder,
  releaseCommand,
  requireClientId,
  writeFolder,
} from '../app/app-folder.ts';
import { isWrong, lookAndFix, type ShopDeps } from '../checks/check.ts';
import { loyaltyCheck } from '../checks/loyalty.ts';
import { adminApiCheck, wantedScopes } from '../checks/store.ts';
import { openLedger } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { type SecretFields, tryCredentials } from '../secrets/set-secret.ts';
import {
  answerText,
  chooseBody,
  entityIn,
  isFine,
  type PostedWebhook,
  postWebhook,
  readWebhookSecret,
  signWebhook,
} from '../send/send-webhook.ts';
import { storefrontCheck } from '../storefront/set-up.ts';
import { subscriptionsCheck } from '../webhooks/webhooks.ts';
import {
  blocked,
  doNextOf,
  done,
  keepFields,
  left,
  obtainTried,
  obtainValue,
  open,
  type ShopSetup,
  type Step,
  say,
  storedFields,
  titleOf,
  type WantedValue,
  waitForUser,
} from './setup-step.ts';

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
  const { deps, deployment, shop } = setup;
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
    if (deps.where === 'aws') describeDashboard(setup);
    if (deps.options.olderApp) {
      const wanted = { accessToken: ACCESS_TOKEN };
      return obtainTried(setup, { purpose: 'store', wanted, tryOut });
    }
    if (typeof signing !== 'string') {
      const wanted = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
      return obtainTried(setup, { purpose: 'store', wanted, tryOut });
    }
    say(deps.terminal, 'The stored webhook secret is taken as the client secret of the app.');
    const known = { clientSecret: signing };
    return obtainTried(setup, { purpose: 'store', wanted: { clientId: CLIENT_ID }, known, tryOut });
  }

  async function tryOut(fields: SecretFields): Promise<string | undefined> {
    const tried = await tryCredentials(deployment, shop, 'store', fields);
    return tried.kind === 'accepted' ? undefined : tried.why;
  }
}

function describeDashboard({ deps, shop, deployment }: ShopSetup): void {
  const scopes = scopesText(deployment.connector, shop);
  const lines = [
    `a. Open ${DASHBOARD}: Apps, Create app, Start from Dev Dashboard; give it a name, Create.`,
    `b. Versions: as scopes enter ${scopes}`,
    `   and as Webhooks API version ${API_VERSION}; then Release.`,
    `c. Home, Install app: choose ${shop.domain}.`,
    'd. Settings: copy the client ID and the client secret.',
  ];
  say(deps.terminal, lines.join('\n'));
}

const scopesText = (...given: Parameters<typeof wantedScopes>): string =>
  wantedScopes(...given)
    .map(({ scope }) => scope)
    .join(',');

/** Reads from the store what the app may do there. */
export function scopesStep(setup: ShopSetup): Step {
  const { deployment, shop } = setup;
  const look = async () => {
    const findings = await adminApiCheck(shopDeps(setup)).look();
    const of = (verdict: string) => findings.filter((one) => one.verdict === verdict);
    const [unread] = of('unknown');
    if (unread) return blocked(`${unread.what}.`, unread.fix ?? '');
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
      say(setup.deps.terminal, where);
      await waitForUser('When that is done:');
      const found = await look();
      return 'missing' in found ? blocked(`${found.missing}.`, where) : found;
    },
  };
}

/**
 * The folder that Shopify's command line releases. The compliance topics and the extensions come in no other way,
 * and the Admin API does not show whether they did: the folder is all that can be compared.
 */
export function appConfigurationStep(setup: ShopSetup): Step {
  const { deps, deployment, shop } = setup;
  const read = () => readAppFolder(deployment, shop, {});
  const nameOf = ({ folder }: AppFolder) => relative(process.cwd(), folder);
  const release = (found: AppFolder) =>
    `Release it with Shopify's command line: ${releaseCommand(nameOf(found))}`;
  return {
    title: titleOf(setup, 'Folder of the app'),
    async look() {
      const found = await read();
      return isWritten(found)
        ? done(
            `${nameOf(found)} is written. ${release(found)}; whether that was done cannot be read`,
          )
        : open(
            'The app proxy, the extensions and the requests about personal data come with its folder.',
          );
    },
    async act() {
      const found = await read();
      requireClientId(found);
      const question = `Replace the files of ${nameOf(found)}, which this command did not write?`;
      if (foreignIn(found).length > 0 && !(await deps.agrees(question))) {
        const next =
          'Rename the folder and run the command again: it writes another, to compare both.';
        return left(`${nameOf(found)} is not as the settings need it.`, next);
      }
      writeFolder(found);
      return left(`${nameOf(found)} is written, and not yet released.`, release(found));
    },
  };
}

function isWritten({ wanted, written }: AppFolder): boolean {
  return [...wanted].every(([path, contents]) => {
    const found = written.get(path);
    return found !== undefined && Buffer.compare(found, contents) === 0;
  });
}

const TOKEN: WantedValue = {
  question: "the loyalty service's token",
  variable: 'CONNECTOR_LOYALTY_TOKEN',
};
const KEY: WantedValue = {
  question: "the loyalty service's key",
  variable: 'CONNECTOR_LOYALTY_KEY',
};

export function loyaltyStep(setup: ShopSetup): Step {
  const { deployment, shop } = setup;
  return {
    title: titleOf(setup, 'Loyalty service'),
    async look() {
      if (!(await storedFields(setup, 'loyalty'))) {
        return open('Token and key are in the admin panel of the loyalty service, menu API Keys.');
      }
      const [finding] = await loyaltyCheck(shopDeps(setup)).look();
      const { verdict = 'unknown', what = '', fix = '' } = finding ?? {};
      if (verdict === 'fail' || verdict === 'unknown') return blocked(`${what}.`, fix);
      return verdict === 'warn' ? left(`${what}.`, fix) : done(what);
    },
    async act() {
      const fields = await obtainTried(setup, {
        purpose: 'loyalty',
        wanted: { token: TOKEN, key: KEY },
        tryOut: async (given) => {
          const tried = await tryCredentials(deployment, shop, 'loyalty', given);
          return tried.kind === 'accepted' ? undefined : tried.why;
        },
      });
      await keepFields(setup, 'loyalty', fields);
      return undefined;
    },
  };
}

export function subscriptionsStep(setup: ShopSetup): Step {
  const { deps, deployment } = setup;
  const check = subscriptionsCheck(shopDeps(setup), {}, deps.session);
  return {
    title: titleOf(setup, 'Webhook subscriptions'),
    async look() {
      const found = await check.look();
      if (deployment.connector.healing.subscriptions === 'app-configuration') {
        return done('the configuration of the app makes them, which cannot be read from here');
      }
      const [first] = found;
      if (first?.verdict === 'unknown') return blocked(`${first.what}.`, first.fix ?? '');
      const retired = found.find(({ verdict, next }) => verdict === 'fail' && !next);
      if (first?.verdict === 'fail' && first.next) return open(`${first.what}.`);
      if (retired) return left(`${retired.what}.`, retired.fix ?? '');
      return done(found.map(({ what }) => what).join('; '));
    },
    async act() {
      const { done: changes = [] } = await lookAndFix(check);
      const refused = changes.find(({ verdict }) => verdict === 'fail');
      if (refused) return blocked(`${refused.what}.`, 'Check the scopes of the app.');
      say(deps.terminal, `${changes.length} made, corrected or removed.`);
      return undefined;
    },
  };
}

/** The loyalty service's panel cannot be read: only our side of point events is verified. */
export function storefrontStep(setup: ShopSetup): Step {
  const { deps, shop } = setup;
  // The token is a secret: other output than a terminal's may be kept by others.
  const showToken = process.stdout.isTTY === true;
  const check = storefrontCheck(shopDeps(setup), { session: deps.session, showToken });
  return {
    title: titleOf(setup, 'Storefront and point events'),
    async look() {
      const found = await check.look();
      const unread = found.find(({ verdict }) => verdict === 'unknown');
      if (unread) return blocked(`${unread.what}.`, 'Try again later.');
      return isWrong(found)
        ? open('Balances need definitions of metafields and a token for point events.')
        : done(found.map(({ what }) => what).join('; '));
    },
    async act() {
      await lookAndFix(check);
      if (!showToken) {
        const command = `storefront setup --rotate --yes --shop ${shop.domain}`;
        const what = 'Make the webhook subscription in the panel of the loyalty service.';
        return left(what, `In a terminal, this prints what to enter: ${doNextOf(setup)(command)}`);
      }
      await waitForUser('When the subscription is saved in the panel:');
      return undefined;
    },
  };
}

/** A new client for each look: a token keeps the scopes that it was issued with. */
const shopDeps = ({ deployment, shop }: ShopSetup): ShopDeps => ({
  ...{ deployment, shops: [shop] },
  services: () => openShopServices(deployment),
});

/** A receiver that runs may know only the former secret. */
const ACCEPTED_WITHIN_MS = SECRET_MAX_AGE_MS + 60_000;
const HANDLED_WITHIN_MS = 120_000;
const PAUSE_MS = 1_000;

/** Receiver, queue, worker, store and ledger: the worker's record shows that all of them work. */
export function testWebhookStep(setup: ShopSetup): Step {
  return {
    title: titleOf(setup, 'Test webhook'),
    look: async () => open('A signed products/delete of a product that does not exist.'),
    async act() {
      const { deps, deployment, shop } = setup;
      const triggeredAt = new Date();
      const chosen = await chooseBody({}, triggeredAt);
      const { topic, body } = chosen;
      const delivery = { topic, body, shop: shop.domain, webhookId: randomUUID(), triggeredAt };
      const headers = signWebhook(delivery, await readWebhookSecret(deployment, shop));
      const address = shopAddress(deployment.output('WebhookAddress'), shop.path);
      const progress = deps.terminal.progress('waiting for the connector');

      let tries = 0;
      const answer = await within(ACCEPTED_WITHIN_MS, async () => {
        const posted = await postWebhook(address, headers, body);
        tries += 1;
        progress.report(tries, answerText(posted));
        return { value: posted, isOver: isAccepted(posted) };
      });
      if (!isAccepted(answer)) {
        progress.end();
        return blocked(`${address}: ${answerText(answer)}.`, doNextOf(setup)('doctor'));
      }
      const id = entityIn(chosen, shop.domain)?.id ?? '';
      const ledger = openLedger(deployment);
      const entry = await within(HANDLED_WITHIN_MS, async () => {
        const value = await readEntry(ledger, { shop: shop.domain, kind: 'product', id });
        progress.report(1, 'accepted, waiting for the worker');
        return { value, isOver: value !== undefined };
      });
      progress.end();
      const last = entry?.outcomes.at(-1);
      if (!last) {
        const what = `${address} took the webhook, but no worker has handled it yet.`;
        return blocked(what, doNextOf(setup)('status'));
      }
      return done(
        `${address} took it, and the worker recorded: ${last.outcome} (${last.why ?? ''})`,
      );
    },
  };
}

const isAccepted = (posted: PostedWebhook): boolean =>
  posted.kind === 'answered' && isFine(posted.status);

/** Tries until it is over or the time has passed; returns the last value. */
async function within<T>(
  patienceMs: number,
  attempt: () => Promise<{ readonly value: T; readonly isOver: boolean }>,
): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const { value, isOver } = await attempt();
    if (isOver || Date.now() > until) return value;
    await sleep(PAUSE_MS);
  }
}
