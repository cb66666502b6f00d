import { setTimeout as sleep } from 'node:timers/promises';
import { shopAddress } from '../../../../shared/core/events/receive-delivery.ts';
import { readEntry } from '../../../../shared/core/ledger/ledger.ts';
import { REFUSED_SECRET_MAX_AGE_MS } from '../../../../shared/services/shop-secrets.ts';
import { signedHeaders } from '../../../../shared/shopify/commands.ts';
import { API_VERSION } from '../../../../shared/shopify/entity-id.ts';
import {
  type Check,
  type Finding,
  fail,
  pass,
  type ShopDeps,
  unknown,
  warn,
} from '../../ground/checks/check.ts';
import { loyaltyCheck } from '../../ground/checks/loyalty.ts';
import { readSecret } from '../../ground/checks/read-secret.ts';
import { type ShopSetup, type Step, waitForUser } from '../../ground/checks/step.ts';
import { openLedger } from '../../ground/session/deployment.ts';
import { answerText, isAccepted, postDelivery } from '../../ground/session/post-delivery.ts';
import { DOCTOR } from '../../ground/terminal/document.ts';
import { line } from '../../ground/terminal/line.ts';
import { appFolderCheck, writtenFoldersCheck } from './app.ts';
import {
  adminApiCheck,
  currencyCheck,
  customerAccountsCheck,
  installedAppCheck,
  rolloutsCheck,
  storeCreditCheck,
  wantedScopes,
} from './store-checks.ts';
import { panelFacts, storefrontCheck } from './storefront.ts';
import { subscriptionsCheck } from './webhooks.ts';

type ShopCheck = Pick<Step, 'look' | 'fix'>;

export const shopifyChecks = (deps: ShopDeps): readonly Check[] => {
  const { storefront } = deps.deployment.connector;
  return [
    adminApiCheck(deps),
    installedAppCheck(deps),
    writtenFoldersCheck(deps),
    currencyCheck(deps),
    rolloutsCheck(deps),
    ...(storefront?.cashback === 'store-credit' ? [storeCreditCheck(deps)] : []),
    ...(storefront ? [customerAccountsCheck(deps), storefrontCheck(deps)] : []),
  ];
};

const DASHBOARD = 'https://dev.shopify.com/dashboard';

const scopesText = ({ deployment, shop }: ShopSetup): string =>
  wantedScopes(deployment.connector, shop)
    .map(({ scope }) => scope)
    .join(',');

/** Each needs what those before it have made. */
export function* shopifySteps(setup: ShopSetup, shop: ShopDeps): Generator<Step> {
  const { deps, deployment } = setup;
  yield { ...scopesCheckOf(setup, shop), title: 'Scopes of the app' };
  if (deps.where === 'aws') {
    const folder = appFolderCheck(shop, { agrees: deps.agrees });
    yield { ...folder, title: 'Folder of the app' };
  }
  yield { ...loyaltyCheck(shop), title: 'Loyalty service' };
  const subscriptions = subscriptionsCheck(shop, {}, deps.session);
  yield { ...subscriptions, title: 'Webhook subscriptions' };
  if (deployment.connector.storefront) {
    const storefront = storefrontCheckOf(setup, shop);
    yield { ...storefront, title: 'Storefront and point events' };
  }
  yield { look: () => sendTestWebhook(setup), title: 'Test webhook' };
}

export const describeDashboard = (setup: ShopSetup): string =>
  [
    `a. Open ${DASHBOARD}: Apps, Create app, Start from Dev Dashboard; give it a name, Create.`,
    `b. Versions: as scopes enter ${scopesText(setup)}`,
    `   and as Webhooks API version ${API_VERSION}; then Release.`,
    `c. Home, Install app: choose ${setup.shop.domain}.`,
    'd. Settings: copy the client ID and the client secret.',
  ].join('\n');

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
function storefrontCheckOf(
  { deps: { session }, deployment, shop }: ShopSetup,
  shopDeps: ShopDeps,
): ShopCheck {
  // The token is a secret: other output than a terminal's may be kept by others.
  const showToken = process.stdout.isTTY === true;
  const check = storefrontCheck(shopDeps, {
    session,
    onToken({ current }, { domain }) {
      const title = `The token of point events of ${domain}`;
      if (showToken) session.show({ title, blocks: [panelFacts(deployment, shop, current)] });
    },
  });
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
const ACCEPTED_WITHIN_MS = REFUSED_SECRET_MAX_AGE_MS + 60_000;
const HANDLED_WITHIN_MS = 120_000;
const PAUSE_MS = 1_000;

/** A signed products/delete of a product that does not exist: the worker's record shows that all before it works, too. */
async function sendTestWebhook({ deps, deployment, shop }: ShopSetup): Promise<readonly Finding[]> {
  const { domain, path } = shop;
  const read = await readSecret(deployment, shop, 'webhook');
  if (read.kind !== 'there') return [fail(`the webhook secret ${read.why}`, DOCTOR)];
  const secret = String(read.fields.current);
  const id = madeUpId();
  const sent = { topic: 'products/delete', body: Buffer.from(JSON.stringify({ id })) };
  const address = shopAddress(deployment.output('WebhookAddress'), path);
  const progress = deps.terminal.progress('waiting for the connector');
  let tries = 0;
  const answer = await within(ACCEPTED_WITHIN_MS, isAccepted, async () => {
    const headers = signedHeaders({ ...sent, shop: domain, secret });
    const posted = await postDelivery(address, { ...sent, headers });
    tries += 1;
    progress.report(tries, answerText(posted));
    return posted;
  });
  if (!isAccepted(answer)) return [fail(`${address}: ${answerText(answer)}`, DOCTOR)];
  const ledger = openLedger(deployment);
  const entry = await within(HANDLED_WITHIN_MS, Boolean, async () => {
    progress.report(tries, 'accepted, waiting for the worker');
    return readEntry(ledger, { shop: domain, kind: 'product', id: String(id) });
  });
  const last = entry?.outcomes.at(-1);
  if (last) {
    const { outcome, why = '' } = last;
    return [pass(`${address} took it, and the worker recorded: ${outcome} (${why})`)];
  }
  const look = { label: 'See the queues', line: line('status') };
  return [unknown(`${address} took the webhook, but no worker has handled it yet`, look)];
}

/** Above all ids that Shopify has given out so far, and exact as a number of JavaScript. */
const madeUpId = () => 90_000_000_000_000 + Date.now();

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
