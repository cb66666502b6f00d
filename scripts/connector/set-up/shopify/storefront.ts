import { randomBytes } from 'node:crypto';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import { pointTopics } from '../../../../shared/loyalty/operations.ts';
import {
  type PointTokens,
  TOKEN_HEADER,
} from '../../../../shared/rewards/balances/receive-points.ts';
import { SECRET_MAX_AGE_MS } from '../../../../shared/services/shop-secrets.ts';
import {
  type DefinitionState,
  readDefinitions,
  repairDefinition,
} from '../../../../shared/shopify/admin/write-balances.ts';
import {
  type Check,
  type Finding,
  fail,
  fixDocument,
  forEachShop,
  info,
  pass,
  type ShopDeps,
  shopDeps,
  unknown,
  warn,
} from '../../ground/checks/check.ts';
import {
  type OverlapChange,
  overlapChangeOf,
  overlapEnd,
  readSecret,
  storeSecret,
} from '../../ground/checks/read-secret.ts';
import { findShop } from '../../ground/session/arguments.ts';
import type { Deployment } from '../../ground/session/deployment.ts';
import type { CommonOptions, Session } from '../../ground/session/session.ts';
import { type Document, type FactsBlock, facts } from '../../ground/terminal/document.ts';
import { Problem } from '../../ground/terminal/exit.ts';
import { line } from '../../ground/terminal/line.ts';
import { utcText } from '../../ground/terminal/text.ts';
import { adminOf, requireShopify } from './store-checks.ts';

export interface SetUpOptions extends CommonOptions {
  readonly rotate?: boolean;
  readonly leaked?: boolean;
}

const TOKEN_BYTES = 32;

/** Look at store and secrets → with --yes, create definitions and token, and look again. */
export async function setUpStorefront(session: Session, options: SetUpOptions): Promise<Document> {
  const change: TokenChange = overlapChangeOf(options) ?? 'keep';
  const deployment = await session.findDeployment();
  const { connector, stack } = deployment;
  const shop = requireShopify(findShop(connector, options.shop));
  if (!connector.storefront) {
    throw new Problem(
      `The settings of ${stack} have no storefront.`,
      'Add storefront: {} to them and deploy (npm run deploy), then run the command again.',
    );
  }
  let made: StoredTokens | undefined;
  const onToken = (tokens: StoredTokens) => {
    made = tokens;
  };
  const check = storefrontCheck(shopDeps(deployment, [shop]), { session, change, onToken });
  if (change !== 'keep') await planTokens(deployment, shop, change);
  if (options.yes) await session.beginChange(deployment);
  const { rotate, leaked, yes } = options;
  const document = await fixDocument(check, {
    ...{ title: `Storefront of ${shop.domain}`, yes },
    isWanted: (found) => change !== 'keep' || found.some(({ verdict }) => verdict === 'fail'),
    next: () => ({
      label: LABELS[change],
      line: line('storefront setup', [], { shop: options.shop, rotate, leaked, yes: true }),
    }),
    blocks: [panelFacts(deployment, shop)],
  });
  return made
    ? { ...document, blocks: [panelFacts(deployment, shop, made.current), ...document.blocks] }
    : document;
}

const LABELS: Readonly<Record<TokenChange, string>> = {
  keep: 'Create what is missing',
  rotate: 'Create a new token',
  leaked: 'Create a new token, and end the others',
};

interface Asked {
  readonly session: Pick<Session, 'beginChange'>;
  readonly change?: TokenChange;
  /** Of a new token, which cannot be shown later. */
  readonly onToken?: (tokens: StoredTokens, shop: Shop) => void;
}

/** The metafield definitions of balances, and the token of point events. */
export function storefrontCheck(deps: ShopDeps, asked?: Asked): Check {
  const { deployment, shops } = deps;
  const namespace = deployment.connector.storefront?.metafieldNamespace ?? '';
  return {
    name: 'storefront',
    needs: ['Admin API'],
    look: forEachShop(shops, async (shop) => {
      const read = await readDefinitions(adminOf(deps, shop), namespace);
      return [
        ...(read.kind === 'read'
          ? judgeDefinitions(shop, namespace, read.states)
          : [unknown(`the metafields could not be read (${read.why})`, SCOPES)]),
        judgePointTokens(shop, await readTokens(deployment, shop)),
      ];
    }),
    ...(asked && {
      fix: async () => (await Promise.all(shops.map((shop) => repair(shop, asked)))).flat(),
    }),
  };

  async function repair(
    shop: Shop,
    { session, change = 'keep', onToken }: Asked,
  ): Promise<readonly Finding[]> {
    const ask = adminOf(deps, shop);
    const read = await readDefinitions(ask, namespace);
    if (read.kind !== 'read') throw cannotAsk(shop.domain, read.why);
    if (read.states.some(({ state }) => state === 'other-type')) {
      throw new Problem(
        'A metafield definition has another type, so balances cannot be written.',
        OTHER_TYPE,
      );
    }
    const next = await planTokens(deployment, shop, change);
    const recorded = await session.beginChange(deployment);
    const toRepair = read.states.filter(({ state }) => state !== 'fine');
    for (const [index, one] of toRepair.entries()) {
      const made = await repairDefinition(ask, namespace, one);
      if (made.kind === 'refused') {
        throw new Problem(`The store refuses the definition ${one.field}: ${made.code}.`);
      }
      if (made.kind !== 'made') throw cannotAsk(shop.domain, made.why);
      recorded.count({ definitions: index + 1 });
    }
    if (next) {
      // Told first: one that was stored without being shown would be lost.
      onToken?.(next, shop);
      await storeSecret(deployment, shop, 'points', { ...next });
      recorded.count({ tokens: 1 });
    }
    return [
      ...toRepair.map(({ field }) => info(`${namespace}.${field} was created or opened`)),
      ...(next ? [info(afterwards(change, next))] : []),
    ].map((one) => ({ ...one, shop: shop.domain }));
  }
}

const SCOPES = 'The app needs the scopes write_customers and write_discounts.';
const OTHER_TYPE =
  'Delete it in the admin (Settings, Custom data, Customers), or set storefront.metafieldNamespace.';

const STATES = {
  missing: 'no definition yet',
  closed: 'defined, but themes or customer accounts may not read it',
};

function judgeDefinitions(
  { domain: shop }: Shop,
  namespace: string,
  states: readonly DefinitionState[],
): readonly Finding[] {
  const setUp = {
    label: 'See what would be created',
    line: line('storefront setup', [], { shop }),
  };
  const wrong = states.flatMap((one) => {
    const name = `${namespace}.${one.field}`;
    if (one.state === 'fine') return [];
    return one.state === 'other-type'
      ? [fail(`${name}: defined as ${one.type}, so balances cannot be written`, OTHER_TYPE)]
      : [fail(`${name}: ${STATES[one.state]}`, setUp)];
  });
  return wrong.length > 0 ? wrong : [pass('the metafields of balances are defined')];
}

/** Whether point events can be accepted. Undefined tokens: never set, or unusable. */
function judgePointTokens({ domain: shop }: Shop, tokens: StoredTokens | undefined): Finding {
  if (!tokens) {
    return fail('no token of point events is set, so none is accepted', {
      label: 'Create the token',
      line: line('storefront setup', [], { shop }),
    });
  }
  const { previousUntil } = tokens;
  return previousUntil === undefined
    ? pass(
        "the token of point events is stored; check in the service's panel that it is entered there",
      )
    : warn(
        `the previous token of point events is accepted until ${utcText(previousUntil)} UTC: the panel of the loyalty service needs the new one before that`,
      );
}

function afterwards(change: TokenChange, { previousUntil }: StoredTokens): string {
  const until = previousUntil && `; the previous one works until ${utcText(previousUntil)} UTC`;
  const older =
    change === 'leaked'
      ? `, and older ones stop within ${SECRET_MAX_AGE_MS / 60_000}`
      : (until ?? '');
  return `the new token is stored and works within a minute${older}; it cannot be shown again`;
}

function cannotAsk(shop: string, why: string): Problem {
  return new Problem(
    `${shop} did not answer: ${why}.`,
    `"doctor" checks the credentials. ${SCOPES}`,
  );
}

/** The webhook subscription to make in the loyalty service's panel; with the token only while it is new. */
export function panelFacts(
  { output }: Pick<Deployment, 'output'>,
  shop: Shop,
  token = '(the token, as it was shown when it was made)',
): FactsBlock {
  const address = `${output('PointsAddress').replace(/\/+$/, '')}/${shop.path}`;
  return facts(
    [
      ['Name', `loyalty-connector ${shop.domain}`],
      ['Address', address],
      ['Topics', pointTopics.join(', ')],
      ['Header', TOKEN_HEADER],
      ['Its value', token],
      ['No header?', `Then the address is ${address}/<value>`],
      ['E-mail', 'yours: the service writes to it when it switches the subscription off'],
      ['Active', 'yes'],
    ],
    "Point events: make one webhook subscription in the loyalty service's panel",
  );
}

async function planTokens(deployment: Deployment, shop: Shop, change: TokenChange) {
  const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url');
  const until = overlapEnd(new Date());
  return nextTokens(await readTokens(deployment, shop), change, newToken, until);
}

type StoredTokens = PointTokens & { readonly previousUntil?: string };

/** Undefined when they were never set, or cannot be used. */
async function readTokens(deployment: Deployment, shop: Shop): Promise<StoredTokens | undefined> {
  const read = await readSecret(deployment, shop, 'points');
  return read.kind === 'there' ? (read.fields as unknown as StoredTokens) : undefined;
}

type TokenChange = 'keep' | OverlapChange;

/**
 * The tokens to store; undefined: they stay as they are. `stored` is undefined when no token was set, or none that can
 * be used. Throws a `Problem` where the change is not possible.
 */
export function nextTokens(
  stored: StoredTokens | undefined,
  change: TokenChange,
  newToken: () => string,
  previousUntil: string,
): StoredTokens | undefined {
  if (change === 'leaked') return { current: newToken() };
  if (!stored) {
    if (change === 'keep') return { current: newToken() };
    const next = 'Run the same command without --rotate.';
    throw new Problem('There is no token yet.', next);
  }
  const { current, previous } = stored;
  if (change === 'keep') return undefined;
  if (previous === undefined) return { current: newToken(), previous: current, previousUntil };
  // The previous token would be dropped while it is in use.
  throw new Problem(
    'A rotation is already running: the previous token still works.',
    'Wait until it ends, or replace both: --leaked --yes.',
  );
}
