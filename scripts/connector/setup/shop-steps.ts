import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET_MAX_AGE_MS } from '../../../shared/aws/secrets.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import type { AskedField } from '../../../shared/core/platform/platform.ts';
import type { SecretPurpose } from '../../../shared/services/shop-secrets.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import { appFolderCheck } from '../app/app.ts';
import { type Finding, fail, pass, type ShopDeps, unknown, warn } from '../checks/check.ts';
import { loyaltyCheck } from '../checks/loyalty.ts';
import { adminApiCheck, serverCheck, wantedScopes } from '../checks/store.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { commandsOf, hasApp } from '../deployment/platform.ts';
import { openShopServices } from '../deployment/services.ts';
import { webhookAddressCheck } from '../doctor/secrets.ts';
import { line } from '../document/line.ts';
import { readCredentials, readSecret, secretsCheck, storeSecret } from '../secrets/read-secret.ts';
import {
  askFields,
  faultIn,
  fieldsOf,
  type SecretFields,
  tryCredentials,
} from '../secrets/set-secret.ts';
import { answerText, chooseBody, deliver, entityIn, isAccepted } from '../send/send-webhook.ts';
import { storefrontCheck } from '../storefront/set-up.ts';
import { Problem } from '../terminal/exit.ts';
import { subscriptionsCheck } from '../webhooks/webhooks.ts';
import { obtainValue, type SetupDeps, type Step, waitForUser } from './step.ts';

/** What the steps of one shop share. */
export interface ShopSetup {
  readonly deps: SetupDeps;
  readonly deployment: Deployment;
  readonly shop: Shop;
  /** False: the titles name the shop. */
  readonly isOnly: boolean;
}

type ShopCheck = Pick<Step, 'look' | 'fix'>;

/** Each needs what those before it have made. */
export function* shopSteps(setup: ShopSetup): Generator<Step> {
  const { deps, deployment, shop, isOnly } = setup;
  const titled = (title: string) => (isOnly ? title : `${title} of ${shop.domain}`);
  const shopDeps: ShopDeps = {
    ...{ deployment, shops: [shop] },
    // A new client for each look: a token keeps the scopes that it was issued with.
    services: () => openShopServices(deployment),
  };
  yield { ...secretsCheckOf(setup), title: titled('Secrets') };
  if (!hasApp(shop)) {
    yield { ...serverCheck(shopDeps), title: titled(`${commandsOf(shop).name} server`) };
    yield { ...loyaltyCheck(shopDeps), title: titled('Loyalty service') };
    yield { ...webhookAddressCheck(shopDeps), title: titled('Address for events') };
    return;
  }
  yield { ...scopesCheckOf(setup, shopDeps), title: titled('Scopes of the app') };
  if (deps.where === 'aws') {
    const folder = appFolderCheck(shopDeps, { agrees: deps.agrees });
    yield { ...folder, title: titled('Folder of the app') };
  }
  yield { ...loyaltyCheck(shopDeps), title: titled('Loyalty service') };
  const subscriptions = subscriptionsCheck(shopDeps, {}, deps.session);
  yield { ...subscriptions, title: titled('Webhook subscriptions') };
  if (deployment.connector.storefront) {
    const storefront = storefrontCheckOf(setup, shopDeps);
    yield { ...storefront, title: titled('Storefront and point events') };
  }
  yield { look: () => sendTestWebhook(setup), title: titled('Test webhook') };
}

const DASHBOARD = 'https://dev.shopify.com/dashboard';

const scopesText = ({ deployment, shop }: ShopSetup): string =>
  wantedScopes(deployment.connector, shop)
    .map(({ scope }) => scope)
    .join(',');

/** Asks for what is not stored yet. */
function secretsCheckOf(setup: ShopSetup): ShopCheck {
  const { deps, deployment, shop, isOnly } = setup;
  const only = { ...deployment, connector: { ...deployment.connector, shops: [shop] } };
  return {
    look: () => secretsCheck(only, readCredentials(only, deps.options)).look(),
    async fix(found) {
      const lacking = found.flatMap(({ lacks = [] }) => lacks);
      if (lacking.some((one) => one !== 'loyalty secret')) await setApp();
      if (lacking.includes('loyalty secret')) {
        deps.terminal.note('Token and key are in the panel of the loyalty service, menu API Keys.');
        await keep('loyalty', await obtainTried('loyalty', fieldsOf('loyalty', shop)));
      }
      return [];
    },
  };

  /** The client secret opens the Admin API and signs the webhooks: it is asked for once and stored twice. */
  async function setApp(): Promise<void> {
    const [found, webhook] = [await stored('store'), await stored('webhook')];
    const store = found ?? (await obtainStore(webhook?.current));
    // First, because the webhook secret follows from it: a run that ends here asks for nothing again.
    if (!found) await keep('store', store as SecretFields);
    if (webhook) return;
    const { clientSecret } = store;
    const current =
      typeof clientSecret === 'string'
        ? { current: clientSecret }
        : await ask(fieldsOf('webhook', shop));
    await keep('webhook', current);
  }

  async function obtainStore(signing: unknown): Promise<Readonly<Record<string, unknown>>> {
    const wanted = fieldsOf('store', shop, deps.options.olderApp);
    if (!hasApp(shop)) return obtainTried('store', wanted);
    if (deps.where === 'aws') describeDashboard(setup);
    if (deps.options.olderApp || typeof signing !== 'string') return obtainTried('store', wanted);
    deps.terminal.note('The stored webhook secret is taken as the client secret of the app.');
    const unknownYet = wanted.filter(({ field }) => field !== 'clientSecret');
    return obtainTried('store', unknownYet, { clientSecret: signing });
  }

  /** Undefined when it was never set. */
  async function stored(purpose: SecretPurpose) {
    const read = await readSecret(deployment, shop, purpose);
    return read.kind === 'there' ? read.fields : undefined;
  }

  async function keep(purpose: SecretPurpose, fields: SecretFields): Promise<void> {
    await deps.session.beginChange(deployment);
    await storeSecret(deployment, shop, purpose, fields);
    deps.terminal.note(`The ${purpose} secret is stored.`);
  }

  async function ask(wanted: readonly AskedField[]): Promise<SecretFields> {
    const isLeftOut = ({ isEnough, variable }: AskedField) =>
      isEnough && !process.stdin.isTTY && !process.env[variable];
    return askFields(wanted, async (one) => (isLeftOut(one) ? '' : obtainValue(one)));
  }

  /**
   * Asks for the values of a secret and tries them before they are stored. In a terminal the user has three
   * tries; otherwise the same values would come again.
   */
  async function obtainTried(
    purpose: 'store' | 'loyalty',
    wanted: readonly AskedField[],
    known: SecretFields = {},
  ): Promise<SecretFields> {
    // The variables name no shop.
    if (!isOnly && !process.stdin.isTTY) {
      throw new Problem('Values without a terminal are for one shop.', 'Name it: --shop DOMAIN.');
    }
    for (let tries = 1; ; tries += 1) {
      const fields = { ...known, ...(await ask(wanted)) };
      const refused =
        faultIn(purpose, fields, shop) ?? (await tryCredentials(deployment, shop, purpose, fields));
      if (refused === undefined) return fields;
      const problem = `Nothing was stored: ${refused}.`;
      if (!process.stdin.isTTY || tries === MOST_TRIES) {
        throw new Problem(problem, 'Correct the value, then run the command again.');
      }
      deps.terminal.note(`${problem} Once more:`);
    }
  }
}

const MOST_TRIES = 3;

function describeDashboard(setup: ShopSetup): void {
  const lines = [
    `a. Open ${DASHBOARD}: Apps, Create app, Start from Dev Dashboard; give it a name, Create.`,
    `b. Versions: as scopes enter ${scopesText(setup)}`,
    `   and as Webhooks API version ${API_VERSION}; then Release.`,
    `c. Home, Install app: choose ${setup.shop.domain}.`,
    'd. Settings: copy the client ID and the client secret.',
  ];
  setup.deps.terminal.note(lines.join('\n'));
}

const scopesCheckOf = (setup: ShopSetup, shopDeps: ShopDeps): ShopCheck => ({
  look: adminApiCheck(shopDeps).look,
  async fix() {
    const scopes = scopesText(setup);
    const where = `${DASHBOARD}, the app, Versions: as scopes enter ${scopes}, then Release; approve them in the admin of ${setup.shop.domain}: Settings, Apps.`;
    setup.deps.terminal.note(where);
    await waitForUser('When that is done:');
    return [];
  },
});

/** The loyalty service's panel cannot be read: only our side of point events is verified. */
function storefrontCheckOf({ deps: { session }, shop }: ShopSetup, shopDeps: ShopDeps): ShopCheck {
  // The token is a secret: other output than a terminal's may be kept by others.
  const showToken = process.stdout.isTTY === true;
  const check = storefrontCheck(shopDeps, { session, showToken });
  return {
    look: check.look,
    async fix(found) {
      const done = (await check.fix?.(found)) ?? [];
      if (showToken) {
        await waitForUser('When the subscription is saved in the panel:');
        return done;
      }
      const left = warn('the panel of the loyalty service needs a webhook subscription', {
        label: 'Make a new token',
        say: 'In a terminal, this leads to what to enter:',
        line: line('storefront setup', [], { rotate: true, shop: shop.domain }),
      });
      return [...done, left];
    },
  };
}

/** A receiver that runs may know only the former secret. */
const ACCEPTED_WITHIN_MS = SECRET_MAX_AGE_MS + 60_000;
const HANDLED_WITHIN_MS = 120_000;
const PAUSE_MS = 1_000;

/**
 * A signed products/delete of a product that does not exist. Receiver, queue, worker, store and ledger: the worker's
 * record shows that all of them work.
 */
async function sendTestWebhook({ deps, deployment, shop }: ShopSetup): Promise<readonly Finding[]> {
  const chosen = await chooseBody();
  const progress = deps.terminal.progress('waiting for the connector');
  let tries = 0;
  const { answer, address } = await within(
    ACCEPTED_WITHIN_MS,
    (one) => isAccepted(one.answer),
    async () => {
      const delivered = await deliver(deployment, shop, chosen);
      tries += 1;
      progress.report(tries, answerText(delivered.answer));
      return delivered;
    },
  );
  if (!isAccepted(answer)) {
    progress.end();
    const find = { label: 'Find the cause', line: line('doctor') };
    return [fail(`${address}: ${answerText(answer)}`, find)];
  }
  const id = entityIn(chosen, shop.domain)?.id ?? '';
  const ledger = openLedger(deployment);
  const entry = await within(HANDLED_WITHIN_MS, Boolean, async () => {
    progress.report(tries, 'accepted, waiting for the worker');
    return readEntry(ledger, { shop: shop.domain, kind: 'product', id });
  });
  progress.end();
  const last = entry?.outcomes.at(-1);
  if (last) {
    const { outcome, why = '' } = last;
    return [pass(`${address} took it, and the worker recorded: ${outcome} (${why})`)];
  }
  const look = { label: 'See the queues', line: line('status') };
  return [unknown(`${address} took the webhook, but no worker has handled it yet`, look)];
}

/** Tries until it is over or the time has passed; returns the last value. */
async function within<T>(
  patienceMs: number,
  isOver: (value: T) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const value = await attempt();
    if (isOver(value) || Date.now() > until) return value;
    await sleep(PAUSE_MS);
  }
}
