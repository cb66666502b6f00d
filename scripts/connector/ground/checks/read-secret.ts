import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  InvalidRequestException,
  ResourceNotFoundException,
  SecretsManager,
} from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import { shopAddress } from '../../../../shared/core/events/receive-delivery.ts';
import type { ParsedSecret } from '../../../../shared/core/platform/platform.ts';
import { parsePointTokens } from '../../../../shared/rewards/balances/receive-points.ts';
import {
  faultText,
  inForce,
  REFUSED_SECRET_MAX_AGE_MS,
  readSecretFields,
  SECRET_PURPOSES,
  type SecretPurpose,
  secretForms,
  secretName,
  textsIn,
} from '../../../../shared/services/shop-secrets.ts';
import { type Deployment, deployAgain } from '../session/deployment.ts';
import { explainAwsError, isDenied } from '../session/explain-aws-error.ts';
import { answerText, type PostedDelivery, postDelivery } from '../session/post-delivery.ts';
import { commandsOf, type PlatformShop } from '../session/services.ts';
import type { CommonOptions } from '../session/session.ts';
import { BadArguments, Problem } from '../terminal/exit.ts';
import { line } from '../terminal/line.ts';
import { momentText } from '../terminal/text.ts';
import {
  type Check,
  type Finding,
  fail,
  forEachShop,
  info,
  pass,
  type ShopDeps,
  shopCheck,
  unknown,
} from './check.ts';

/** One secret in Secrets Manager. Its values stay in `fields` and are never printed. */
export type ReadSecret =
  | {
      readonly kind: 'there';
      /** Without an older secret that has ended. */
      readonly fields: Readonly<Record<string, unknown>>;
      readonly storedAt: Date | undefined;
    }
  | { readonly kind: 'unset'; readonly why: string }
  /** `why` follows "the secret" in a sentence. */
  | { readonly kind: 'malformed'; readonly why: string };

/** Rejects only with errors of AWS: no access, no connection. Those who read many share a client. */
export async function readSecret(
  { aws, output }: Pick<Deployment, 'aws' | 'output'>,
  shop: Pick<Shop, 'path'> & PlatformShop,
  purpose: SecretPurpose | 'points',
  client = new SecretsManager(aws),
): Promise<ReadSecret> {
  let [text, storedAt]: [string?, Date?] = [];
  try {
    const SecretId = secretName(output('SecretsPrefix'), shop.path, purpose);
    const answer = await client.getSecretValue({ SecretId });
    [text, storedAt] = [answer.SecretString, answer.CreatedDate];
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return { kind: 'unset', why: 'was never set' };
    throw error;
  }
  const fields = readSecretFields(text ?? '');
  if (!fields) return { kind: 'malformed', why: 'is not a JSON object' };
  const parsed = parseFields(fields, purpose, shop);
  return parsed.kind === 'parsed'
    ? { kind: 'there', fields: inForce(fields, Date.now()), storedAt }
    : { kind: 'malformed', why: `is not usable: ${faultText(parsed)}` };
}

/** How the functions read the secret of this shop. Commands that store it check it with the same. */
export function parseFields(
  fields: Readonly<Record<string, unknown>>,
  purpose: SecretPurpose | 'points',
  shop: PlatformShop,
): ParsedSecret<unknown> {
  const { parseSecret: store } = commandsOf(shop);
  return { ...secretForms, store, points: parsePointTokens }[purpose](textsIn(fields));
}

/** The first time it is created, with the key and the tags of the stack. */
export async function storeSecret(
  { aws, output, stage, connector }: Deployment,
  { path }: Pick<Shop, 'path'>,
  purpose: SecretPurpose | 'points',
  fields: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const client = new SecretsManager(aws);
  const name = secretName(output('SecretsPrefix'), path, purpose);
  const SecretString = JSON.stringify(fields);
  const { encryptionKey: KmsKeyId, tags: own } = connector.deployment;
  const tags = { application: 'loyalty-connector', stage, ...own };
  try {
    await client.putSecretValue({ SecretId: name, SecretString });
  } catch (error) {
    if (error instanceof InvalidRequestException) throw deleted(name);
    if (!(error instanceof ResourceNotFoundException)) throw error;
    await client.createSecret({
      Name: name,
      SecretString,
      ...(KmsKeyId !== undefined && { KmsKeyId }),
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    });
  }
}

/** What else Secrets Manager calls an invalid request cannot happen here. */
const deleted = (name: string): Problem =>
  new Problem(
    `Nothing was stored: the secret ${name} was deleted and is still in its recovery window.`,
    `Restore it, then run the command again: aws secretsmanager restore-secret --secret-id ${name}`,
  );

export interface CredentialStatus {
  readonly shop: string;
  readonly purpose: SecretPurpose;
  readonly state: 'there' | 'unset' | 'malformed' | 'unreadable';
  /** In words without any value; undefined when it is there. */
  readonly why?: string | undefined;
  /** Those who run the command may not read it: that says nothing of the deployment. */
  readonly isDenied?: boolean;
  /** The older webhook secret is accepted, too, until this moment (ISO 8601). */
  readonly olderUntil?: string;
  readonly storedAt?: Date | undefined;
}

export async function readCredentials(
  deployment: Pick<Deployment, 'aws' | 'output' | 'connector'>,
  options: CommonOptions,
): Promise<readonly CredentialStatus[]> {
  const wanted = deployment.connector.shops.flatMap((shop) =>
    SECRET_PURPOSES.map((purpose) => ({ of: { shop: shop.domain, purpose }, shop })),
  );
  const client = new SecretsManager(deployment.aws);
  return Promise.all(
    wanted.map(async ({ of, shop }): Promise<CredentialStatus> => {
      try {
        const read = await readSecret(deployment, shop, of.purpose, client);
        const { kind: state } = read;
        if (state !== 'there') return { ...of, state, why: read.why };
        const { fields, storedAt } = read;
        const { previousUntil: olderUntil } = fields;
        return { ...of, state, storedAt, ...(typeof olderUntil === 'string' && { olderUntil }) };
      } catch (error) {
        const may = isDenied(error);
        const said = explainAwsError(error, options)?.message ?? String(error);
        const why = `cannot be read: ${may ? 'your AWS credentials may not' : said}`;
        return { ...of, state: 'unreadable', why, ...(may && { isDenied: true }) };
      }
    }),
  );
}

/** Of each shop, one finding about all that is wrong: `setup` asks for every secret that is not set. */
export function secretsCheck(
  deployment: Deployment,
  credentials: Promise<readonly CredentialStatus[]>,
): Check {
  return {
    name: 'secrets',
    look: forEachShop(deployment.connector.shops, async ({ domain }) => {
      const all = (await credentials).filter(({ shop }) => shop === domain);
      const wrong = all.filter(({ state }) => state !== 'there');
      if (wrong.length === 0) {
        const names = all.map(({ purpose }) => purpose);
        const [until] = all.flatMap(({ olderUntil }) => olderUntil ?? []);
        const set = pass(`${names.join(', ')} are set`);
        if (until === undefined) return [set];
        const older = `the older webhook secret is accepted until ${momentText(until, new Date())}`;
        return [set, info(older)];
      }
      const lacks = wrong.map(({ purpose }) => `${purpose} secret`);
      return [{ ...judgeSecrets(domain, wrong), lacks }];
    }),
  };
}

function judgeSecrets(shop: string, wrong: readonly CredentialStatus[]): Finding {
  const what = wrong.map(({ purpose, why }) => `the ${purpose} secret ${why}`).join('; ');
  if (wrong.every(({ state }) => state === 'unreadable')) {
    return unknown(what, 'docs/operator-access.md names the policy that reads them.');
  }
  if (wrong.some(({ state }) => state === 'unset')) {
    return fail(what, { label: 'Set what is missing', line: line('setup', [], { shop }) });
  }
  const sets = wrong.map(({ purpose }) => ({
    label: `Set the ${purpose} secret`,
    line: line('secrets set', [purpose], { shop }),
  }));
  return fail(what, ...sets);
}

/** The address is reachable, refuses a forged signature and accepts a valid one. Queues nothing. */
export function webhookAddressCheck({ shops, deployment }: ShopDeps): Check {
  const client = new SecretsManager(deployment.aws);
  return shopCheck('webhooks', ['webhook secret'], shops, async (shop) => {
    const { domain, path } = shop;
    const address = shopAddress(deployment.output('WebhookAddress'), path);
    const send = (secret: string) =>
      postDelivery(address, commandsOf(shop).probe(domain, secret, new Date()));
    const stored = await readSecret(deployment, shop, 'webhook', client);
    let forged = await send(randomUUID());
    // A receiver that found no secret looks for one again after a while.
    const storedAt = stored.kind === 'there' ? stored.storedAt : undefined;
    const until = (storedAt?.getTime() ?? 0) + REFUSED_SECRET_MAX_AGE_MS + ASK_AGAIN_MS;
    while (forged.kind === 'answered' && forged.status === 503 && Date.now() < until) {
      await sleep(ASK_AGAIN_MS);
      forged = await send(randomUUID());
    }
    const reached = judgeForged(forged, address, deployment);
    if (reached) return [reached];
    if (stored.kind !== 'there') return [pass(`${address} refuses a forged signature`)];
    const genuine = await send(String(stored.fields.current));
    if (genuine.kind === 'answered' && genuine.status === 200) {
      return [pass(`${address} accepts the shop's signature and refuses a forged one`)];
    }
    const refused = `${address} refuses the shop's own signature (${answerText(genuine)})`;
    // The receiver keeps what it has read.
    if (storedAt && Date.now() - storedAt.getTime() < REFUSED_SECRET_MAX_AGE_MS) {
      const used = `The secret was changed at ${momentText(storedAt.toISOString(), new Date())} and is used within a minute. Check again then.`;
      return [unknown(refused, used)];
    }
    return [fail(refused, deployAgain(deployment))];
  });
}

const ASK_AGAIN_MS = 1_000;

function judgeForged(
  answer: PostedDelivery,
  address: string,
  deployment: Deployment,
): Finding | undefined {
  if (answer.kind === 'unanswered') {
    const network = 'Check your network. If nobody else can reach it either:';
    return unknown(
      `${address} cannot be reached: ${answer.why}`,
      `${network} ${deployAgain(deployment)}`,
    );
  }
  if (answer.status === 401) return undefined;
  if (answer.status >= 200 && answer.status <= 299) {
    return fail(
      `${address} accepted a forged signature`,
      'Something else answers there: deploy again.',
    );
  }
  return fail(
    `${address} answers a forged signature with ${answer.status}, not with 401`,
    'See the log of receive-webhook: secrets that cannot be read are answered with 503.',
  );
}

/** A day is enough to enter the new secret elsewhere, and short for one that nobody means to keep. */
const OVERLAP_MS = 24 * 3_600_000;

/** When the older secret of a rotation that begins now ends, in ISO 8601. */
export const overlapEnd = (now: Date): string => new Date(now.getTime() + OVERLAP_MS).toISOString();

export type OverlapChange = 'rotate' | 'leaked';

/** Of the options that say what becomes of the older secret, the one that is given. */
export function overlapChangeOf(
  options: Readonly<Partial<Record<OverlapChange, boolean>>>,
): OverlapChange | undefined {
  const { rotate, leaked } = options;
  if (rotate && leaked) throw new BadArguments('give either --rotate or --leaked.');
  return rotate ? 'rotate' : leaked ? 'leaked' : undefined;
}
