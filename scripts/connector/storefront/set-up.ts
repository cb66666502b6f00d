import { randomBytes } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { readSecretFields, SECRET_MAX_AGE_MS } from '../../../shared/aws/secrets.ts';
import { type PointTokens, TOKEN_HEADER } from '../../../shared/core/balances/receive-points.ts';
import { pointTopics } from '../../../shared/loyalty/operations.ts';
import { parsePointTokens, secretName } from '../../../shared/services/shop-secrets.ts';
import {
  type DefinitionState,
  readDefinitions,
  repairDefinition,
} from '../../../shared/shopify/admin/write-balances.ts';
import { findShop } from '../arguments.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';

export interface SetUpOptions {
  readonly shop?: string;
  readonly rotate?: boolean;
  readonly finish?: boolean;
  readonly yes?: boolean;
}

const TOKEN_BYTES = 32;

/** Read store and secrets → with --yes, create definitions and token → print what to paste where. */
export async function setUpStorefront(
  { terminal, json, findDeployment, beginChange }: Session,
  options: SetUpOptions,
  { showToken = true }: { readonly showToken?: boolean } = {},
): Promise<ExitCode> {
  const change = changeOf(options);
  const deployment = await findDeployment();
  const { connector } = deployment;
  if (!connector.storefront) {
    throw new Problem(
      `The settings of ${deployment.stack} have no storefront.`,
      'Add storefront: {} to them and deploy (npm run deploy), then run the command again.',
    );
  }
  const shop = findShop(connector, options.shop);
  const recorded = options.yes ? await beginChange(deployment) : undefined;
  const namespace = connector.storefront.metafieldNamespace;
  const ask = openShopServices(deployment).ask(shop);
  const read = await readDefinitions(ask, namespace);
  if (read.kind !== 'read') throw cannotAsk(shop.domain, read.why);

  const client = new SecretsManagerClient(deployment.aws);
  const name = secretName(deployment.output('SecretsPrefix'), shop.path, 'points');
  const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url');
  const next = nextTokens(await readTokens(client, name), change, newToken);
  if (next.kind === 'refused') throw new Problem(next.why, next.next);

  const blocked = read.states.filter(({ state }) => state === 'other-type');
  const toRepair = read.states.filter(({ state }) => state === 'missing' || state === 'closed');
  const definitions = read.states.map((one) => `${namespace}.${one.field}: ${wordsOf(one)}`);
  if (!json) {
    terminal.line(`${shop.domain}, customer metafields`);
    for (const line of definitions) terminal.line(`  ${line}`);
  }
  if (blocked.length > 0) {
    throw new Problem(
      'A metafield definition has another type, so balances cannot be written.',
      'Delete it in the admin (Settings, Custom data, Customers), or set storefront.metafieldNamespace.',
    );
  }
  if (!recorded) {
    const tokens = next.kind;
    const subscription = subscriptionOf(deployment, shop, undefined);
    const found = { definitions, subscription, tokens, changed: false };
    if (json) terminal.json({ shop: shop.domain, ...found });
    const lines = [...describeSubscription(subscription), ...plan(toRepair, next.kind)];
    if (!json) for (const line of lines) terminal.line(line);
    return EXIT.fine;
  }

  for (const [index, one] of toRepair.entries()) {
    const made = await repairDefinition(ask, namespace, one);
    if (made.kind === 'refused') {
      throw new Problem(`The store refuses the definition ${one.field}: ${made.code}.`);
    }
    if (made.kind !== 'made') throw cannotAsk(shop.domain, made.why);
    recorded.count({ definitions: index + 1 });
  }
  const subscription = subscriptionOf(
    deployment,
    shop,
    next.kind === 'store' && showToken ? next.fresh : undefined,
  );
  if (!json) {
    if (toRepair.length > 0) terminal.line(`Definitions created or opened: ${toRepair.length}.`);
    if (change !== 'finish')
      for (const line of describeSubscription(subscription)) terminal.line(line);
  }
  // Printed first: a token that was stored without being shown would be lost.
  if (next.kind === 'store') {
    await storeTokens(client, name, next.tokens);
    recorded.count({ tokens: 1 });
  }
  if (json) {
    const repaired = toRepair.map(({ field }) => field);
    const made = { repaired, tokens: next.kind, changed: true, subscription };
    terminal.json({ shop: shop.domain, ...made });
    return EXIT.fine;
  }
  const isFresh = next.kind === 'store' && next.fresh !== undefined;
  for (const line of afterwards(change, isFresh, showToken)) terminal.line(line);
  return EXIT.fine;
}

function changeOf({ rotate, finish }: SetUpOptions): TokenChange {
  if (rotate && finish) throw new BadArguments('give --rotate or --finish, not both.');
  if (finish) return 'finish';
  return rotate ? 'rotate' : 'keep';
}

function wordsOf(one: DefinitionState): string {
  switch (one.state) {
    case 'missing':
      return 'no definition yet';
    case 'closed':
      return 'defined, but themes or customer accounts may not read it';
    case 'fine':
      return 'fine';
    case 'other-type':
      return `defined as ${one.type}`;
  }
}

function plan(toRepair: readonly DefinitionState[], tokens: 'keep' | 'store'): readonly string[] {
  const steps = [
    ...(toRepair.length > 0 ? [`create or open ${toRepair.length} definitions`] : []),
    ...(tokens === 'store' ? ['store the token of point events'] : []),
  ];
  if (steps.length === 0) return ['Everything is set up. For a new token: --rotate --yes.'];
  return [`Nothing was changed. With --yes it would ${steps.join(', and ')}.`];
}

function afterwards(change: TokenChange, isFresh: boolean, isShown: boolean): readonly string[] {
  const minutes = SECRET_MAX_AGE_MS / 60_000;
  if (change === 'finish') {
    return [`The previous token stops working within ${minutes} minutes.`];
  }
  if (!isFresh)
    return ['The token is unchanged, and is not shown again. For a new one: --rotate --yes.'];
  if (!isShown) return ['The token is stored. It is a secret, and is shown only in a terminal.'];
  return [
    `The value is a secret and is shown only this once. It works within ${minutes} minutes.`,
    'The previous token works until --finish --yes.',
  ];
}

function cannotAsk(shop: string, why: string): Problem {
  return new Problem(
    `${shop} did not answer: ${why}.`,
    '"doctor" checks the credentials; the app needs the scopes write_customers and write_discounts.',
  );
}

/** The webhook subscription to make in the loyalty service's panel. */
interface Subscription {
  readonly name: string;
  readonly address: string;
  readonly topics: readonly string[];
  /** Without its value, unless the token is new: it is shown once. */
  readonly header: { readonly name: string; readonly value: string | undefined };
}

function subscriptionOf(
  deployment: Pick<Deployment, 'output'>,
  shop: { readonly domain: string; readonly path: string },
  value: string | undefined,
): Subscription {
  return {
    name: `loyalty-connector ${shop.domain}`,
    address: `${deployment.output('PointsAddress').replace(/\/+$/, '')}/${shop.path}`,
    topics: pointTopics,
    header: { name: TOKEN_HEADER, value },
  };
}

function describeSubscription({ name, address, topics, header }: Subscription) {
  const value = header.value ?? '(the token, as it was printed when it was made)';
  return [
    "Point events, for the loyalty service's admin panel: make one webhook subscription and enter",
    `  1. name     ${name}`,
    `  2. address  ${address}`,
    `  3. topics   ${topics.join(', ')}`,
    `  4. header   name   ${header.name}`,
    `              value  ${value}`,
    '  5. e-mail   yours: the service writes to it when it switches the subscription off',
    '  6. active   yes',
    `Where no header can be entered, the address is ${address}/<value>.`,
  ];
}

/** Undefined when they were never set: a deployment creates the secret with a random text. */
export async function readTokens(
  client: SecretsManagerClient,
  name: string,
): Promise<PointTokens | undefined> {
  try {
    const { SecretString: text = '' } = await client.send(
      new GetSecretValueCommand({ SecretId: name }),
    );
    const parsed = parsePointTokens(readSecretFields(text) ?? {});
    return parsed.kind === 'parsed' ? parsed.value : undefined;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new Problem(
      `The secret for the token of point events does not exist (${name}).`,
      'Deploy the settings that have a storefront (npm run deploy), then run the command again.',
    );
  }
}

async function storeTokens(
  client: SecretsManagerClient,
  name: string,
  tokens: PointTokens,
): Promise<void> {
  const SecretString = JSON.stringify(tokens);
  await client.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
}

type TokenChange = 'keep' | 'rotate' | 'finish';

type NextTokens =
  /** The token is set and unchanged. */
  | { readonly kind: 'keep' }
  /** `fresh`: there is a new token to print. */
  | { readonly kind: 'store'; readonly tokens: PointTokens; readonly fresh?: string }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };

/** `stored` is undefined when no token was set, or none that can be used. */
export function nextTokens(
  stored: PointTokens | undefined,
  change: TokenChange,
  newToken: () => string,
): NextTokens {
  if (!stored) {
    if (change !== 'keep') {
      const why = 'There is no token yet.';
      return { kind: 'refused', why, next: 'Run the same command without --rotate and --finish.' };
    }
    const fresh = newToken();
    return { kind: 'store', tokens: { current: fresh }, fresh };
  }
  const { current, previous } = stored;
  switch (change) {
    case 'keep':
      return { kind: 'keep' };
    case 'rotate': {
      // The previous token would be dropped while it is in use.
      if (previous !== undefined) {
        const why = 'A rotation is already running: the previous token still works.';
        return { kind: 'refused', why, next: 'End it first: --finish --yes.' };
      }
      const fresh = newToken();
      return { kind: 'store', tokens: { current: fresh, previous: current }, fresh };
    }
    case 'finish':
      if (previous === undefined) {
        const why = 'There is nothing to finish: no older token is accepted.';
        return { kind: 'refused', why, next: 'Nothing needs to be done.' };
      }
      return { kind: 'store', tokens: { current } };
  }
}
