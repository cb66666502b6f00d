import { randomUUID } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import { shopAddress } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import { readSecret } from '../secrets/read-secret.ts';
import type { Session } from '../session.ts';
import { askHidden } from '../terminal/ask.ts';
import { printable } from '../terminal/text.ts';
import {
  type BodyOptions,
  type ChosenBody,
  checkBodyOptions,
  chooseBody,
  entityIn,
} from './choose-body.ts';
import { type PostedWebhook, postWebhook, signWebhook } from './post-webhook.ts';

export interface SendOptions extends BodyOptions {
  readonly shop?: string;
  readonly to?: string;
  readonly webhookId?: string;
  readonly duplicate?: boolean;
  readonly askSecret?: boolean;
  readonly yes?: boolean;
}

/** The address, the shop and the secret of the webhook. */
interface Target {
  readonly address: string;
  readonly shop: string;
  readonly deployment: Deployment | undefined;
  readonly testOrdersAreSent: boolean;
  readSecret(): Promise<string>;
}

/** Choose → confirm → sign → send → print the answer. */
export async function sendWebhook(session: Session, options: SendOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  checkBodyOptions(options);
  checkAddress(options.to);
  const target = await findTarget(session, options);
  const { address, shop, deployment } = target;
  const triggeredAt = new Date();
  const chosen = await chooseBody(options, shop, triggeredAt);
  await confirmTrace(session, options, chosen, target);

  const { topic, body } = chosen;
  const webhookId = options.webhookId ?? randomUUID();
  const delivery = { topic, shop, webhookId, body, triggeredAt };
  const change = deployment && (await session.beginChange(deployment));
  const headers = signWebhook(delivery, await target.readSecret());
  const answers: PostedWebhook[] = [];
  for (let time = 0; time < (options.duplicate ? 2 : 1); time += 1) {
    answers.push(await postWebhook(address, headers, body));
    change?.count({ sent: answers.length });
  }
  const accepted = answers.every((answer) => answer.kind === 'answered' && isFine(answer.status));
  const entity = entityIn(chosen, shop);
  if (json) {
    terminal.json({ address, shop, topic, webhookId, bytes: body.length, entity, answers });
    return accepted ? EXIT.fine : EXIT.failed;
  }
  terminal.line(`${topic} of ${shop} to ${address}`);
  terminal.line(`webhook id ${webhookId}, ${body.length} bytes`);
  for (const answer of answers) terminal.line(answerText(answer));
  const next = nextAfter(accepted, entity, shop);
  if (deployment && next) terminal.line(`Next: ${nextCommand(deployment, next)}`);
  return accepted ? EXIT.fine : EXIT.failed;
}

const TRACED: Readonly<Record<string, string>> = {
  order: 'order',
  product: 'product',
  member: 'customer',
};

/** A body without an id has a hash instead, and becomes a dead letter. */
function nextAfter(
  accepted: boolean,
  entity: ReturnType<typeof entityIn>,
  shop: string,
): string | undefined {
  if (!accepted) return 'doctor';
  const kind = entity && TRACED[entity.kind];
  if (!kind) return undefined;
  return /^\d+$/.test(entity.id)
    ? `trace ${kind} ${entity.id} --shop ${shop}`
    : `dead-letters list --id ${entity.id}`;
}

/** A body may contain personal data, so it must be encrypted in transit. */
function checkAddress(to: string | undefined): void {
  if (to === undefined) return;
  const url = URL.parse(to);
  const own = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && own)) return;
  throw new BadArguments('--to must begin with https://, or with http:// for this machine.');
}

async function findTarget(session: Session, options: SendOptions): Promise<Target> {
  const { to, askSecret, shop: named } = options;
  const ask = (shop: string) => () => {
    if (process.stdin.isTTY) return askHidden(`${shop}: the webhook secret (not shown)`);
    throw new Problem('--ask-secret needs a terminal.');
  };
  if (to !== undefined && askSecret) {
    if (!named?.includes('.')) {
      throw new BadArguments('with --to and --ask-secret, give --shop as a domain.');
    }
    const other = { address: to, shop: named, deployment: undefined, testOrdersAreSent: true };
    return { ...other, readSecret: ask(named) };
  }
  const deployment = await session.findDeployment();
  const { domain, path, rules } = findShop(deployment.connector, named);
  return {
    address: to ?? shopAddress(deployment.output('WebhookAddress'), path),
    shop: domain,
    deployment,
    testOrdersAreSent: rules.testOrders === 'send',
    readSecret: askSecret ? ask(domain) : () => readWebhookSecret(deployment, { domain, path }),
  };
}

export async function readWebhookSecret(
  deployment: Deployment,
  { domain, path }: Pick<Shop, 'domain' | 'path'>,
): Promise<string> {
  const client = new SecretsManagerClient(deployment.aws);
  const name = secretName(deployment.output('SecretsPrefix'), path, 'webhook');
  const read = await readSecret(client, name, 'webhook');
  if (read.kind === 'there') return String(read.fields.current);
  throw new Problem(
    `The webhook secret of ${domain} ${read.kind === 'missing' ? 'does not exist' : read.why}.`,
    `Set it: ${nextCommand(deployment, `secrets set webhook --shop ${domain}`)}`,
  );
}

/** On this machine no question is needed; elsewhere the user must confirm an invented entity. */
async function confirmTrace(
  { terminal }: Session,
  options: SendOptions,
  { sample }: ChosenBody,
  { deployment, testOrdersAreSent }: Target,
): Promise<void> {
  const kept =
    sample?.leaves === 'a-product' ||
    (sample?.leaves === 'if-real' && (options.real === true || testOrdersAreSent));
  if (!kept || options.yes || (deployment?.where === 'local' && options.to === undefined)) return;
  const why = `The loyalty service behind this address would keep this invented ${sample.topic.startsWith('orders') ? 'order and its customer' : 'product'}.`;
  if (await terminal.confirm(why)) return;
  throw new Problem(`${why} Nothing was sent.`, 'To send it anyway: --yes.');
}

export const isFine = (status: number) => status >= 200 && status <= 299;

export function answerText(answer: PostedWebhook): string {
  if (answer.kind === 'unanswered') {
    return `no answer: ${printable(answer.why)} (${answer.milliseconds} ms)`;
  }
  const { status, text, milliseconds } = answer;
  return `${status} ${printable(text)} (${milliseconds} ms)${meaningOf(status)}`;
}

function meaningOf(status: number): string {
  if (status === 401) {
    return ': the secret, the address or the shop does not fit (a changed secret takes up to 5 minutes)';
  }
  if (status === 503) return ': the secrets or the queue cannot be reached, the store would retry';
  return '';
}
