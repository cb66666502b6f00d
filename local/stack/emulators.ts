import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import dynalite from 'dynalite';
import { type BuildAppOptions, buildApp } from 'fauxqs';

export interface Emulator {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** The account and the region of the emulators. */
export const PLACE = { region: 'us-east-1', account: '000000000000' };

type Stores = NonNullable<BuildAppOptions['stores']>;

export interface SqsOptions {
  /** 0 (default): any free port. */
  readonly port?: number;
  /** Messages in flight stay so after a restart, because their receivers still run. */
  readonly keepInFlight?: boolean;
}

/** fauxqs on a loopback port: SQS over HTTP. */
export async function startSqs(
  dataFolder?: string,
  { port = 0, keepInFlight = false }: SqsOptions = {},
): Promise<Emulator> {
  const kept =
    dataFolder === undefined ? undefined : await openKeptQueues(dataFolder, keepInFlight);
  const app = buildApp({
    logger: false,
    defaultRegion: PLACE.region,
    ...(kept && { stores: kept.stores }),
  });
  const endpoint = await app.listen({ port, host: '127.0.0.1' });
  return {
    endpoint,
    stop: async () => {
      await app.close();
      kept?.close();
    },
  };
}

interface Persistence {
  readonly db: DatabaseSync;
  updateMessageReady(messageId: string): void;
  load(...stores: [Stores['sqsStore'], Stores['snsStore'], Stores['s3Store']]): void;
  close(): void;
}

/**
 * fauxqs keeps its queues on disk only when it starts its own server, which listens on all network
 * interfaces. So this function combines its parts, which the package does not export by name.
 */
async function openKeptQueues(
  folder: string,
  keepInFlight: boolean,
): Promise<{ readonly stores: Stores; close(): void }> {
  const part = async (path: string) =>
    import(new URL(path, import.meta.resolve('fauxqs')).href) as Promise<
      Record<string, new (...args: unknown[]) => unknown>
    >;
  const make = async (path: string, name: string, ...args: unknown[]): Promise<unknown> => {
    const { [name]: Part } = await part(path);
    if (!Part) throw new Error(`this version of fauxqs has no ${name}`);
    return new Part(...args);
  };
  const stores = {
    sqsStore: await make('./sqs/sqsStore.js', 'SqsStore'),
    snsStore: await make('./sns/snsStore.js', 'SnsStore'),
    s3Store: await make('./s3/s3Store.js', 'S3Store'),
  } as Stores;
  const persistence = (await make('./persistence.js', 'PersistenceManager', folder)) as Persistence;
  // fauxqs 2.4 empties a column that may not be empty, fails, and forgets a message that becomes visible at once.
  const makeReady = persistence.db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
  );
  persistence.updateMessageReady = (messageId) => void makeReady.run(messageId);
  persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  const { sqsStore } = stores;
  sqsStore.persistence = persistence as unknown as NonNullable<typeof sqsStore.persistence>;
  for (const queue of sqsStore.allQueues()) {
    queue.persistence = sqsStore.persistence;
    if (keepInFlight) continue;
    // The receivers of these messages ended with the last process, so they become visible again.
    for (const { receiptHandle } of queue.inspectMessages().inflight) {
      queue.changeVisibility(receiptHandle, 0);
    }
  }
  return { stores, close: () => persistence.close() };
}

/**
 * dynalite on a loopback port (0: any free port): DynamoDB over HTTP. It throws out of every call that is
 * running when its database closes, so stopping waits for open calls instead of breaking them off.
 */
export async function startDynamoDb(dataFolder?: string, port = 0): Promise<Emulator> {
  const path = dataFolder === undefined ? undefined : join(dataFolder, 'ledger');
  const server = dynalite({ createTableMs: 0, ...(path !== undefined && { path }) });
  const { endpoint } = await listen(server, port);
  const [serve] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request').on('request', (request, response) => {
    if (isStatement(request)) void insert(endpoint, request, response);
    else serve?.(request, response);
  });
  return {
    endpoint,
    async stop() {
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(idle);
    },
  };
}

export const isStatement = ({ headers }: IncomingMessage): boolean =>
  headers['x-amz-target'] === 'DynamoDB_20120810.ExecuteStatement';

/** dynalite knows no PartiQL. `INSERT` is a write that can only create ("PartiQL insert statements for DynamoDB"). */
export async function insert(
  endpoint: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { table, item } = readInsert(JSON.parse(await text(request))) ?? {};
  const [key = ''] = Object.keys(item ?? {});
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization: request.headers.authorization ?? '',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-date': String(request.headers['x-amz-date']),
      'x-amz-target': 'DynamoDB_20120810.PutItem',
    },
    body: JSON.stringify({
      TableName: table,
      Item: item,
      ConditionExpression: 'attribute_not_exists(#key)',
      ExpressionAttributeNames: { '#key': key },
    }),
  });
  const body = await answer.text();
  response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(body.replace('ConditionalCheckFailedException', 'DuplicateItemException'));
}

interface Inserted {
  readonly table: string;
  readonly item: Readonly<Record<string, unknown>>;
}

const INSERT = /^INSERT INTO "([^"]+)" VALUE \{((?:'\w+': \?(?:, )?)+)\}$/;

/** Undefined: another statement, or one in another form. */
export function readInsert(call: {
  readonly Statement?: unknown;
  readonly Parameters?: unknown;
}): Inserted | undefined {
  const [, table, fields = ''] = INSERT.exec(String(call.Statement)) ?? [];
  if (table === undefined) return undefined;
  const values = Array.isArray(call.Parameters) ? call.Parameters : [];
  const names = [...fields.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  return { table, item: Object.fromEntries(names.map((name, index) => [name, values[index]])) };
}

/** A kept connection becomes idle after its last call, and would keep the server open. */
const CLOSE_IDLE_EVERY_MS = 20;

/** On a loopback port; 0: any free one. */
export async function listen(server: Server, wanted = 0): Promise<Emulator> {
  // Node ends idle connections after five seconds, and a client that was busy for that long uses one once more.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      // Keep-alive connections would keep the server open.
      server.closeAllConnections();
      await closed;
    },
  };
}
