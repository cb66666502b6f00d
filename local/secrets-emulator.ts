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
  readonly current: SecretVersion;
}

interface SecretVersion {
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
}

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
  const store = new Map<string, StoredSecret>();
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

function keep(file: string, store: ReadonlyMap<string, StoredSecret>): void {
  const texts = [...store].map(([name, { current }]) => [name, current.text]);
  writePrivate(file, Object.fromEntries(texts));
}

/** Renamed into place, because the next start could not read a half-written file. */
export function writePrivate(file: string, value: object): void {
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function answer(
  store: Map<string, StoredSecret>,
  target: string,
  fields: Fields | undefined,
): Answer {
  if (!fields) return fault('SerializationException', 'the request is not a JSON object');
  switch (target.startsWith(TARGET_PREFIX) ? target.slice(TARGET_PREFIX.length) : '') {
    case 'GetSecretValue':
      return getSecretValue(store, fields);
    case 'PutSecretValue':
      return putSecretValue(store, fields);
    case 'DescribeSecret':
      return describeSecret(store, fields);
    case 'CreateSecret':
      return createSecret(store, fields);
    default:
      return fault('UnknownOperationException', 'this emulator does not have the operation');
  }
}

function getSecretValue(store: Map<string, StoredSecret>, fields: Fields): Answer {
  const secret = find(store, fields.SecretId);
  if (!secret) return fault('ResourceNotFoundException', 'there is no such secret');
  return success({
    ...idsOf(secret),
    SecretString: secret.current.text,
    VersionStages: ['AWSCURRENT'],
    CreatedDate: secret.current.createdAt / 1000,
  });
}

function describeSecret(store: Map<string, StoredSecret>, fields: Fields): Answer {
  const secret = find(store, fields.SecretId);
  if (!secret) return fault('ResourceNotFoundException', 'there is no such secret');
  const { name: Name, arn: ARN, createdAt } = secret;
  return success({ Name, ARN, CreatedDate: createdAt / 1000 });
}

function putSecretValue(store: Map<string, StoredSecret>, fields: Fields): Answer {
  const secret = find(store, fields.SecretId);
  if (!secret) return fault('ResourceNotFoundException', 'there is no such secret');
  const text = fields.SecretString;
  if (typeof text !== 'string') return fault('InvalidRequestException', 'SecretString is missing');
  const changed = { ...secret, current: newVersion(text) };
  store.set(secret.name, changed);
  return success({ ...idsOf(changed), VersionStages: ['AWSCURRENT'] });
}

function createSecret(store: Map<string, StoredSecret>, fields: Fields): Answer {
  const { Name: name, SecretString: text } = fields;
  if (typeof name !== 'string' || typeof text !== 'string') {
    return fault('InvalidRequestException', 'Name or SecretString is missing');
  }
  if (store.has(name)) return fault('ResourceExistsException', 'a secret of this name exists');
  const secret = newSecret(name, text);
  store.set(name, secret);
  return success(idsOf(secret));
}

function find(store: Map<string, StoredSecret>, id: unknown): StoredSecret | undefined {
  if (typeof id !== 'string') return undefined;
  return store.get(id) ?? [...store.values()].find(({ arn }) => arn === id);
}

/** AWS adds a dash and six characters to a secret's name. */
export function secretArn(name: string): string {
  return `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}-local0`;
}

function newSecret(name: string, text: string, createdAt = Date.now()): StoredSecret {
  return { name, arn: secretArn(name), createdAt, current: newVersion(text) };
}

function newVersion(text: string): SecretVersion {
  return { id: randomUUID(), text, createdAt: Date.now() };
}

function idsOf({ arn, name, current }: StoredSecret): Fields {
  return { ARN: arn, Name: name, VersionId: current.id };
}

const success = (body: Fields): Answer => answerWith(200, body);

const fault = (type: string, message: string): Answer =>
  answerWith(400, { __type: type, Message: message });

const answerWith = (status: number, body: Fields): Answer =>
  jsonAnswer(status, body, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
