import { randomBytes, randomUUID } from 'node:crypto';
import { CreateSecretCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { createPointsReceiver } from '../../functions/receive-points.ts';
import { createReconcile } from '../../functions/reconcile.ts';
import { createBalanceWorker } from '../../functions/sync-balances.ts';
import { createSecretsClient, createSqsClient } from '../../local/harness/sdk-clients.ts';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import { readLetter } from '../../scripts/connector/dead-letters/read.ts';
import { letterReaderOf, prepareReplay } from '../../scripts/connector/dead-letters/replay.ts';
import { createSqsEventQueue } from '../../shared/aws/sqs-queues.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import type { StorefrontSettings } from '../../shared/config/connector-settings.ts';
import { type PointTokens, TOKEN_HEADER } from '../../shared/core/balances/receive-points.ts';
import type { DeadLetter } from '../../shared/core/batch/dead-letter.ts';
import type { PointTopic } from '../../shared/loyalty/operations.ts';
import {
  buildWarm,
  countMessages,
  createSourceQueue,
  invocationOf,
  pollOnce,
  receive,
} from './event-source.ts';
import { type RunningConnector, SECOND_SHOP, SHOP } from './running-connector.ts';

/** 32 bytes, as the set-up creates them. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export interface SandboxPayload {
  readonly Customer: {
    readonly Id: string;
    readonly Name?: string;
    readonly Email?: string;
    readonly Document?: string | null;
  };
}

/** The storefront sync of a running connector: receiver, queue and worker, with the same emulators. */
export async function openBalances(
  connector: RunningConnector,
  storefront: StorefrontSettings = {},
) {
  const { name, loyalty, confidential } = connector;
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const sqs = createSqsClient({ budget });
  const secrets = createSecretsClient({ budget });
  const endpoint = process.env.AWS_ENDPOINT_URL_SQS ?? '';
  const queue = await createSourceQueue(sqs, endpoint, `${name}-balances`);
  const shops = [{ domain: SHOP }, { domain: SECOND_SHOP }];
  const tokens = new Map<string, PointTokens>();
  for (const path of ['example-store', 'second-store']) {
    await keepTokens(path, { current: newToken() });
  }

  Object.assign(process.env, {
    BALANCES_QUEUE_URL: queue.url,
    SOURCE_QUEUE_URL: queue.url,
    WORKERS: '2',
    DEAD_LETTER_QUEUE_URL: queue.deadLetterUrl,
    LEDGER_TABLE: name,
    SECRETS_PREFIX: name,
    METRICS_NAMESPACE: 'LoyaltyConnector/test',
  });
  const rules = { currency: 'EUR' };
  const settings = defineConnector({
    ...{ shops, rules, storefront },
    loyalty: { address: loyalty.address },
  });
  const receiver = buildWarm(() => createPointsReceiver(settings));
  const worker = buildWarm(() => createBalanceWorker(settings));
  const reconcile = buildWarm(() => createReconcile(settings));
  let forwarded = 0;

  async function keepTokens(path: string, pairs: PointTokens): Promise<void> {
    confidential.addSecret(pairs.current);
    const id = `${name}/${path}/points`;
    const SecretString = JSON.stringify(pairs);
    await (tokens.has(path)
      ? secrets.send(new PutSecretValueCommand({ SecretId: id, SecretString }))
      : secrets.send(new CreateSecretCommand({ Name: id, SecretString })));
    tokens.set(path, pairs);
  }

  const opened = {
    keepTokens,
    tokenOf: (path = 'example-store'): string => tokens.get(path)?.current ?? '',

    /** One request at any path below the address; returns the status. */
    async request(
      path: string,
      body: Uint8Array | string,
      { method = 'POST', header }: { method?: string; header?: string } = {},
    ): Promise<number> {
      const plain = { shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
      const event = toFunctionUrlEvent({ ...plain, path, body: Buffer.from(body) });
      event.requestContext.http.method = method;
      if (header !== undefined) event.headers[TOKEN_HEADER] = header;
      const answer = await receiver(event, invocationOf('receive-points', 10));
      return typeof answer === 'object' ? (answer.statusCode ?? 0) : 0;
    },

    /** As the service sends it: wrapped, with the header of its subscription. */
    async post(Topic: PointTopic, Payload: unknown): Promise<number> {
      const wrapped = { Uuid: randomUUID(), Timestamp: new Date().toISOString(), Topic, Payload };
      return opened.request('example-store', JSON.stringify(wrapped), {
        header: opened.tokenOf(),
      });
    },

    /** Sends the new point events of the loyalty sandbox, changed in this way; returns the statuses. */
    async forward(
      change: (payload: SandboxPayload) => unknown = (payload) => payload,
    ): Promise<readonly number[]> {
      const events = loyalty.events.all().slice(forwarded);
      forwarded += events.length;
      const statuses: number[] = [];
      for (const { topic, payload } of events) {
        const { Name, Email } = (payload as SandboxPayload).Customer;
        confidential.addPersonal({ customer: { first_name: Name, email: Email } });
        statuses.push(await opened.post(topic, change(payload as SandboxPayload)));
      }
      return statuses;
    },

    /** One scheduled run, which repairs balances once in a night. */
    repair: () => reconcile({}, invocationOf('reconcile', 300)),

    /** One batch of the worker; returns the number of its messages. */
    async work(): Promise<number> {
      connector.pass(0.05);
      return pollOnce(sqs, queue.url, worker, 'sync-balances');
    },

    /** Works until the queue is empty, letting time pass where messages wait. */
    async settle(): Promise<void> {
      for (let round = 0; round < 200; round += 1) {
        if ((await opened.work()) > 0) continue;
        if ((await countMessages(sqs, queue.url)) === 0) return;
        connector.pass(60);
      }
      throw new Error('the queue of balances does not empty');
    },

    waiting: () => countMessages(sqs, queue.url),

    async deadLetters() {
      const letters = await receive(sqs, queue.deadLetterUrl, 1);
      connector.pass(2);
      return letters.map(({ Body = '', MessageAttributes = {} }) => ({
        body: Body,
        reason: MessageAttributes.reason?.StringValue,
        why: MessageAttributes.why?.StringValue,
      }));
    },

    /** Sends a dead letter again, as an operator does. */
    async replay(body: string): Promise<void> {
      const letter = readLetter({ body, messageId: 'replayed' } as DeadLetter);
      const prepared = prepareReplay(letter, 'operator', letterReaderOf(shops), new Date());
      if (prepared.kind !== 'event') throw new Error(prepared.obstacle);
      await createSqsEventQueue(sqs, { balances: queue.url }).send(prepared.event);
    },

    /** The bodies on the queue, hidden from others meanwhile. */
    async peek(): Promise<readonly string[]> {
      const messages = await receive(sqs, queue.url, 1);
      connector.pass(2);
      return messages.map(({ Body = '' }) => Body);
    },
  };
  return opened;
}
