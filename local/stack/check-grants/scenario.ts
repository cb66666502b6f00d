import { randomUUID } from 'node:crypto';
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { ITEM, itemKeyOf, keyOnly } from '../../../shared/aws/ledger-item.ts';
import type { StackOutput } from '../../../shared/config/stack-outputs.ts';
import { entityKeyText } from '../../../shared/core/events/entity.ts';
import { inOrder } from '../../store-sandbox/delivery/disorder.ts';
import { roleNameOf } from '../functions/role-name.ts';
import type { RunningStack } from '../running-stack.ts';
import type { Family } from './families.ts';
import { type Patience, Unreached } from './patience.ts';
import { postWebhook } from './post-webhook.ts';

export interface Scenario {
  readonly stack: RunningStack;
  readonly patience: Patience;
  readonly startedAt: number;
}

/** A retry comes after five to eight seconds; the machine may be slow. */
const RETRY_PATIENCE_MS = 15_000;

/** Every webhook is taken, and what nobody can read waits for a person. */
export async function playDeadLetter(scenario: Scenario, family: Family): Promise<void> {
  const { stack, patience } = scenario;
  const before = await countMessages(stack, family.deadLetters);
  const status = await postWebhook(stack, family.topic, JSON.stringify({ nonsense: randomUUID() }));
  if (status !== 200) throw new Unreached(`${family.name}: a webhook was answered with ${status}`);
  await patience.until(
    `${family.name}: what cannot be read becomes a dead letter`,
    async () => (await countMessages(stack, family.deadLetters)) > before,
  );
}

export async function playFamily(scenario: Scenario, family: Family, role: string): Promise<void> {
  const { stack, patience } = scenario;
  const { name } = family;
  await patience.until(`${name}: what is new is sent`, family.begin());
  await playLogs(scenario, role);
  await patience.until(`${name}: the queue empties`, async () => {
    return (await countMessages(stack, family.queue)) === 0;
  });
  await patience.until(`${name}: what only the store knows is asked`, family.ask());
  await playDeadLetter(scenario, family);
  await patience.until(`${name}: the queue empties`, async () => {
    return (await countMessages(stack, family.queue)) === 0;
  });
  await playRetry(scenario, family);
  await playConflict(scenario, family);
}

/** The loyalty service is away for a moment; what failed is tried again soon, not after the visibility. */
async function playRetry({ stack, patience }: Scenario, family: Family): Promise<void> {
  await stack.line.cut();
  let reached: () => boolean;
  try {
    ({ reached } = family.change());
    await patience.until(
      `${family.name}: the event arrives`,
      async () => (await countMessages(stack, family.queue)) > 0,
    );
    // Long enough for a first try, which fails.
    await patience.until(`${family.name}: the first try`, elapsed(1_500), RETRY_PATIENCE_MS);
  } finally {
    await stack.line.mend();
  }
  await patience.until(`${family.name}: what failed is tried again`, reached, RETRY_PATIENCE_MS);
  await patience.until(
    `${family.name}: the queue empties after a retry`,
    async () => (await countMessages(stack, family.queue)) === 0,
    RETRY_PATIENCE_MS,
  );
}

/** Somebody else writes the entry while a call is under way: the entity must be asked for once more. */
async function playConflict(scenario: Scenario, family: Family): Promise<void> {
  const { stack, patience } = scenario;
  const { loyalty, store } = stack;
  const { id } = loyalty.faults.add({ kind: 'latency', ms: 1_500 });
  let key: string;
  let revision: number;
  try {
    // Told by a single webhook, so that the messages on the queue can be counted.
    const seen = store.deliveries.all().at(-1)?.n ?? 0;
    store.disorder = { ...inOrder, drop: 1 };
    const { entity } = family.change();
    store.disorder = inOrder;
    const told = store.deliveries
      .all()
      .find(({ n, topic }) => n > seen && topic === family.changeTopic);
    if (!told) throw new Error(`the store sends no ${family.changeTopic}`);
    await postWebhook(stack, told.topic, told.body);
    await patience.until(`${family.name}: a call is under way`, () =>
      loyalty.faults.list().some(({ met }) => met > 0),
    );
    key = itemKeyOf(entityKeyText({ ...entity, shop: store.shop.domain }));
    revision = await raiseRevision(stack, key);
  } finally {
    loyalty.faults.clear(id);
  }
  await patience.until(
    `${family.name}: after two wrote at once, the entry is marked uncertain`,
    async () => (await readRevision(stack, key)) > revision,
  );
  await patience.until(
    `${family.name}: after two wrote at once, the entity is asked for again`,
    async () => (await countMessages(stack, family.queue)) >= 2,
  );
}

async function raiseRevision({ dynamoDb, outputs }: RunningStack, key: string): Promise<number> {
  const { Attributes: item } = await dynamoDb.send(
    new UpdateItemCommand({
      TableName: outputs.LedgerTable,
      Key: keyOnly(key),
      UpdateExpression: 'ADD #revision :one',
      ExpressionAttributeNames: { '#revision': ITEM.revision },
      ExpressionAttributeValues: { ':one': { N: '1' } },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Number(item?.[ITEM.revision]?.N);
}

async function readRevision({ dynamoDb, outputs }: RunningStack, key: string): Promise<number> {
  const { Item: item } = await dynamoDb.send(
    new GetItemCommand({ TableName: outputs.LedgerTable, Key: keyOnly(key), ConsistentRead: true }),
  );
  return Number(item?.[ITEM.revision]?.N);
}

/** Its output reached its log group since the scenario began. */
export async function playLogs(
  { stack, patience, startedAt }: Scenario,
  role: string,
): Promise<void> {
  for (const description of stack.description.functions) {
    if (roleNameOf(description) !== role) continue;
    await patience.until(`the log of ${description.name} is written`, () =>
      stack.logs.linesOf(description).some(({ at }) => at >= startedAt),
    );
  }
}

async function countMessages(stack: RunningStack, queue: StackOutput): Promise<number> {
  const { Attributes: counts = {} } = await stack.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: stack.outputs[queue], AttributeNames: ['All'] }),
  );
  return (
    Number(counts.ApproximateNumberOfMessages) +
    Number(counts.ApproximateNumberOfMessagesNotVisible)
  );
}

/** Which queue the functions of a role work on, if any. */
export function familyOfRole(
  { description }: RunningStack,
  families: readonly Family[],
  role: string,
  outputs: RunningStack['outputs'],
): Family | undefined {
  const names = description.functions
    .filter((one) => roleNameOf(one) === role)
    .flatMap(({ name, arn }) => [name, arn]);
  const source = description.eventSources.find(({ target }) => names.includes(target));
  const url = description.queues.find(({ arn }) => arn === source?.queueArn)?.url;
  return families.find(({ queue }) => outputs[queue] === url);
}

function elapsed(ms: number): () => boolean {
  const end = Date.now() + ms;
  return () => Date.now() >= end;
}
