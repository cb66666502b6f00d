import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DataFileError } from './sandbox-kit/data-file.ts';
import { parseJsonBody, readBody } from './sandbox-kit/http/requests.ts';
import { type Answer, jsonAnswer, respond, startServer } from './sandbox-kit/http/server.ts';

/**
 * An emulator of AWS Secrets Manager, because no package offers one. It implements the operations that
 * the connector and its tests use, on loopback only, and checks no credentials. Never store a secret of production in it.
 */
export interface SecretsEmulator {
  readonly endpoint: string;
  stop(): Promise<void>;
}

interface StoredSecret {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  readonly versionId: string;
  readonly text: string;
  readonly changedAt: number;
}

type Store = Map<string, StoredSecret>;
type Fields = Readonly<Record<string, unknown>>;

const TARGET_PREFIX = 'secretsmanager.';
const STORES = /\.(?:PutSecretValue|CreateSecret)$/;

export async function startSecretsEmulator({
  port = 0,
  secrets = {},
  createdAt = Date.now(),
  file,
}: {
  readonly port?: number;
  /** The initial secrets by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** When the secrets were made, in epoch milliseconds. */
  readonly createdAt?: number;
  /** Keeps what is stored, which then counts in place of the initial secrets. Absent: in memory. */
  readonly file?: string | undefined;
} = {}): Promise<SecretsEmulator> {
  const store: Store = new Map();
  for (const [name, text] of Object.entries({ ...secrets, ...(file && readKept(file)) })) {
    store.set(name, newSecret(name, text, createdAt));
  }

  const { address, stop } = await startServer(async (request, response) => {
    const body = await readBody(request);
    const json = body.kind === 'whole' ? parseJsonBody(body.bytes) : undefined;
    const fields =
      json?.kind === 'json' && Object(json.value) === json.value ? json.value : undefined;
    const target = String(request.headers['x-amz-target'] ?? '');
    const answered = answer(store, target, fields as Fields | undefined);
    if (file && STORES.test(target)) keep(file, store);
    respond(response, answered);
  }, port);
  return { endpoint: address, stop };
}

/** By name. */
export function readKept(file: string): Readonly<Record<string, string>> {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new DataFileError(`${file} cannot be read. Delete it, and store the secrets again.`);
  }
}

function keep(file: string, store: Store): void {
  const texts = [...store].map(([name, { text }]) => [name, text]);
  writePrivate(file, Object.fromEntries(texts));
}

/** Renamed into place, because the next start could not read a half-written file. */
export function writePrivate(file: string, value: object): void {
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function answer(store: Store, target: string, fields: Fields | undefined): Answer {
  if (!fields) return fault('SerializationException', 'the request is not a JSON object');
  const name = target.startsWith(TARGET_PREFIX) ? target.slice(TARGET_PREFIX.length) : '';
  if (name === 'CreateSecret') return createSecret(store, fields);
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (!operation) {
    return fault('UnknownOperationException', 'this emulator does not have the operation');
  }
  const id = String(fields.SecretId);
  const secret = store.get(id) ?? [...store.values()].find(({ arn }) => arn === id);
  if (!secret) return fault('ResourceNotFoundException', 'there is no such secret');
  return operation(secret, fields, store);
}

const CURRENT = { VersionStages: ['AWSCURRENT'] };

const OPERATIONS: Readonly<
  Record<string, (secret: StoredSecret, fields: Fields, store: Store) => Answer>
> = {
  GetSecretValue: (secret) =>
    success({
      ...idsOf(secret),
      ...CURRENT,
      SecretString: secret.text,
      CreatedDate: secret.changedAt / 1000,
    }),
  DescribeSecret: ({ name: Name, arn: ARN, createdAt }) =>
    success({ Name, ARN, CreatedDate: createdAt / 1000 }),
  PutSecretValue: (secret, { SecretString: text }, store) => {
    if (typeof text !== 'string') {
      return fault('InvalidRequestException', 'SecretString is missing');
    }
    const changed = newSecret(secret.name, text, secret.createdAt);
    store.set(secret.name, changed);
    return success({ ...idsOf(changed), ...CURRENT });
  },
};

function createSecret(store: Store, { Name: name, SecretString: text }: Fields): Answer {
  if (typeof name !== 'string' || typeof text !== 'string') {
    return fault('InvalidRequestException', 'Name or SecretString is missing');
  }
  if (store.has(name)) return fault('ResourceExistsException', 'a secret of this name exists');
  const secret = newSecret(name, text);
  store.set(name, secret);
  return success(idsOf(secret));
}

/** AWS adds a dash and six characters to a secret's name. */
export function secretArn(name: string): string {
  return `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}-local0`;
}

function newSecret(name: string, text: string, createdAt = Date.now()): StoredSecret {
  const version = { versionId: randomUUID(), text, changedAt: Date.now() };
  return { name, arn: secretArn(name), createdAt, ...version };
}

const idsOf = ({ arn, name, versionId }: StoredSecret): Fields => ({
  ARN: arn,
  Name: name,
  VersionId: versionId,
});

const success = (body: Fields): Answer => answerWith(200, body);

const fault = (type: string, message: string): Answer =>
  answerWith(400, { __type: type, Message: message });

const answerWith = (status: number, body: Fields): Answer =>
  jsonAnswer(status, body, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
