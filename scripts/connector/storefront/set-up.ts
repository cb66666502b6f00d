import { randomBytes } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SECRET_MAX_AGE_MS } from '../../../shared/aws/secrets.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import {
  type DefinitionState,
  readDefinitions,
  repairDefinition,
} from '../../../shared/shopify/admin/write-balances.ts';
import { findShop } from '../arguments.ts';
import { openShopServices } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { nextTokens, readTokens, storeTokens, type TokenChange } from './point-tokens.ts';
import { describeSubscription, subscriptionOf } from './subscription.ts';

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
