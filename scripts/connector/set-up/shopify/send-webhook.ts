import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Shop } from '../../../../shared/config/connector-config.ts';
import { parkedKey } from '../../../../shared/core/batch/dead-letter.ts';
import { shopAddress } from '../../../../shared/core/events/receive-delivery.ts';
import { readEntry } from '../../../../shared/core/ledger/ledger.ts';
import { signedHeaders } from '../../../../shared/shopify/commands.ts';
import { readShopifyEvent } from '../../../../shared/shopify/webhooks/read-event.ts';
import { identifyEntity, topicRoutes } from '../../../../shared/shopify/webhooks/topics.ts';
import { readSecret } from '../../ground/checks/read-secret.ts';
import { findShop } from '../../ground/session/arguments.ts';
import { type Deployment, nextCommand, openLedger } from '../../ground/session/deployment.ts';
import {
  answerText,
  isAccepted,
  type PostedDelivery,
  postDelivery,
} from '../../ground/session/post-delivery.ts';
import type { CommonOptions, Session } from '../../ground/session/session.ts';
import { DOCTOR, type Document, facts, type Suggestion } from '../../ground/terminal/document.ts';
import { BadArguments, Problem } from '../../ground/terminal/exit.ts';
import { line } from '../../ground/terminal/line.ts';
import { requireShopify } from './store-checks.ts';

export interface SendOptions extends CommonOptions {
  readonly file?: string;
  readonly topic?: string;
}

/** Choose → sign → send → say what was answered. */
export async function sendWebhook(session: Session, options: SendOptions): Promise<Document> {
  if ((options.file === undefined) !== (options.topic === undefined)) {
    throw new BadArguments('give both, such as: send --file body.json --topic orders/updated');
  }
  const deployment = await session.findDeployment();
  const shop = requireShopify(findShop(deployment.connector, options.shop));
  const { domain } = shop;
  const chosen = await chooseBody(options);
  const { topic, body } = chosen;
  const entity = entityIn(chosen, domain);
  const wasParked = await readEntry(openLedger(deployment), parkedKey(domain, body));
  const change = await session.beginChange(deployment);
  const { answer, address } = await deliver(deployment, shop, chosen);
  change.count({ sent: 1 });
  return {
    title: `${topic} of ${domain}`,
    ...judgeAnswer(answer, chosen, domain, wasParked !== undefined),
    blocks: [
      facts([
        ['address', address],
        ['webhook id', answer.webhookId],
        ['bytes', body.length],
      ]),
    ],
    data: { address, shop: domain, topic, bytes: body.length, entity, answer },
  };
}

/** Of which a webhook names one by its id. */
const KINDS: ReadonlySet<string> = new Set(['order', 'product', 'customer']);

function judgeAnswer(
  answer: PostedDelivery,
  chosen: ChosenBody,
  shop: string,
  wasParked: boolean,
): Pick<Document, 'verdict' | 'next'> {
  const answered = answerText(answer);
  const bad = (what: string, ...next: readonly Suggestion[]) =>
    ({ verdict: { kind: 'action required', what }, next }) as const;
  if (!isAccepted(answer)) return bad(answered, DOCTOR);
  const entity = entityIn(chosen, shop);
  if (!entity) return bad(`${answered}. The connector ignores this topic.`);
  const { id, kind } = entity;
  const named = kind === 'member' ? 'customer' : kind;
  // As the worker does.
  const reading = readShopifyEvent({
    ...{ ...entity, ...chosen, shop, origin: 'webhook' },
    ...{ deliveryId: answer.webhookId, receivedAt: new Date().toISOString() },
  });
  if (reading.kind === 'unreadable') {
    const letters = line('dead-letters list', [], { id });
    const why = `${answered}. Its body cannot be read: ${reading.why}.`;
    if (wasParked) {
      return bad(`${why} The same bytes were a dead letter before: the worker skips them.`);
    }
    const what = `${why} The worker makes it a dead letter.`;
    return bad(what, { label: 'See the dead letter', line: letters });
  }
  const trace = { label: 'See what happened', line: line('trace', [named, id], { shop }) };
  return { verdict: { kind: 'ok', what: answered }, next: KINDS.has(named) ? [trace] : [] };
}

export async function deliver(
  deployment: Deployment,
  shop: Pick<Shop, 'domain' | 'path' | 'platform'>,
  chosen: ChosenBody,
) {
  const { domain, path } = shop;
  const read = await readSecret(deployment, shop, 'webhook');
  if (read.kind !== 'there') {
    throw new Problem(
      `The webhook secret of ${domain} ${read.why}.`,
      `Set what is missing: ${nextCommand(deployment, `setup --shop ${domain}`)}`,
    );
  }
  const address = shopAddress(deployment.output('WebhookAddress'), path);
  const secret = String(read.fields.current);
  const webhookId = randomUUID();
  const headers = signedHeaders({ ...chosen, shop: domain, secret, webhookId });
  return { address, answer: await postDelivery(address, { ...chosen, headers }, webhookId) };
}

interface ChosenBody {
  readonly topic: string;
  readonly body: Uint8Array;
}

/** Above all ids that Shopify has given out so far, and exact as a number of JavaScript. */
const madeUpId = () => 90_000_000_000_000 + Date.now();

/** The bytes of a file, or the deletion of a product that no store has: it passes every part and leaves nothing. */
export async function chooseBody({ file, topic = '' }: SendOptions = {}): Promise<ChosenBody> {
  if (file === undefined) {
    return { topic: 'products/delete', body: Buffer.from(JSON.stringify({ id: madeUpId() })) };
  }
  try {
    return { topic, body: await readFile(file) };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new BadArguments(
      code === 'ENOENT' ? `there is no file ${file}.` : `${file} cannot be read (${code}).`,
    );
  }
}

/** The kind and id under which the receiver will queue it; undefined for a topic that is not ours. */
export function entityIn({ topic, body }: ChosenBody, shop: string) {
  const route = topicRoutes.get(topic);
  if (!route) return undefined;
  return { kind: route.kind, claim: route.claim, id: identifyEntity(route, body, shop) };
}
