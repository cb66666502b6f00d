import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import {
  isLoopbackHost,
  parseJsonBody,
  readBody,
  readJsonObject,
} from '../../sandbox-kit/http/requests.ts';
import { type Answer, respond, type Server, startServer } from '../../sandbox-kit/http/server.ts';
import { secretArn } from '../../secrets-emulator.ts';
import { readInsert } from '../emulators.ts';
import type { InvocationResult } from '../functions/function-worker.ts';
import type { LogLine } from '../functions/log-groups.ts';
import type { AccessControl } from '../iam/access-control.ts';
import { arnOf } from '../template/identities.ts';

interface SignedRequest {
  readonly method: string;
  /** Path and query as they were sent, with their escapes. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

type Verification =
  | { readonly kind: 'signed'; readonly accessKeyId: string }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'unknown-key' }
  | { readonly kind: 'wrong-signature' };

const HEADER =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, *SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})$/;

/**
 * Verifies AWS Signature Version 4, so that a function that uses another key id without its secret
 * fails as it would on AWS. ("Create a signed AWS API request", IAM user guide.)
 */
export function verifySignature(
  request: SignedRequest,
  secretOf: (accessKeyId: string) => string | undefined,
): Verification {
  const found = HEADER.exec(headerOf(request, 'authorization'));
  if (!found) return { kind: 'unsigned' };
  const [, accessKeyId = '', date = '', region = '', service = '', signedHeaders = '', given = ''] =
    found;
  const secret = secretOf(accessKeyId);
  if (secret === undefined) return { kind: 'unknown-key' };
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = [
    'AWS4-HMAC-SHA256',
    headerOf(request, 'x-amz-date'),
    scope,
    hash(canonicalRequest(request, signedHeaders)),
  ].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<Buffer>(
    (secretSoFar, part) => hmac(secretSoFar, part),
    Buffer.from(`AWS4${secret}`),
  );
  const isRight = timingSafeEqual(hmac(key, toSign), Buffer.from(given, 'hex'));
  return isRight ? { kind: 'signed', accessKeyId } : { kind: 'wrong-signature' };
}

function canonicalRequest(request: SignedRequest, signedHeaders: string): string {
  const [path = '', query = ''] = request.target.split('?');
  const headers = signedHeaders
    .split(';')
    .map((name) => `${name}:${headerOf(request, name).trim().replace(/ +/g, ' ')}\n`);
  return [
    request.method,
    // Escaped a second time, as every service but S3 expects it.
    path.split('/').map(percentEncode).join('/'),
    query.split('&').toSorted().join('&'),
    headers.join(''),
    signedHeaders,
    hash(request.body),
  ].join('\n');
}

function headerOf({ headers }: SignedRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'object' ? value.join(',') : (value ?? '');
}

const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const hash = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** An error answer in the format of the service, so that the SDK reports the same error as on AWS. */
function refuse(service: Service | undefined, code: string, message: string): Answer {
  const isCoral = service === 'sqs' || service === 'dynamodb';
  const type = isCoral ? `com.amazon.coral.service#${code}` : code;
  const queryCode = code === 'AccessDeniedException' ? 'AccessDenied' : code;
  return {
    status: service === 'sqs' || service === 'lambda' ? 403 : 400,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      // The SDK reads the error code of SQS's older query protocol from this header.
      ...(service === 'sqs' && { 'x-amzn-query-error': `${queryCode};Sender` }),
      ...(service === 'lambda' && { 'x-amzn-errortype': code }),
    },
    body: JSON.stringify({ __type: type, message, Message: message }),
  };
}

/** "GetCallerIdentity", STS. */
export function answerIdentity(identity: {
  readonly arn: string;
  readonly userId: string;
}): Answer {
  const result = `<Arn>${identity.arn}</Arn><UserId>${identity.userId}</UserId>`;
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<GetCallerIdentityResponse><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
  };
}

/** CloudWatch has 10,000 on a page; smaller ones show that a caller reads them all. */
const LINES_PER_PAGE = 1_000;

/** "FilterLogEvents", CloudWatch Logs. */
export function answerLogEvents(linesOf: GatewayParts['linesOf'], body: string): Answer {
  const { logGroupName = '', startTime, endTime, nextToken = 0 } = readJsonObject(body) ?? {};
  const lines = linesOf(String(logGroupName), Number(startTime)).filter(
    ({ at }) => at <= Number(endTime),
  );
  const next = Number(nextToken) + LINES_PER_PAGE;
  const page = lines.slice(Number(nextToken), next);
  const events = page.map(({ at, text }) => ({ timestamp: at, message: text }));
  const more = next < lines.length && { nextToken: String(next) };
  return { status: 200, headers: {}, body: JSON.stringify({ events, ...more }) };
}

/** Undefined when there is no such function. */
type Invoke = (functionArn: string, event: unknown) => Promise<InvocationResult> | undefined;

/** The Invoke operation of Lambda's API, waiting for the result or not (`X-Amz-Invocation-Type`). */
async function answerInvocation(
  invoke: Invoke,
  { resources: [arn = ''] }: AwsCall,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<Answer> {
  const json = parseJsonBody(body);
  if (json.kind === 'unreadable') {
    return refuse('lambda', 'InvalidRequestContentException', `The payload ${json.problem}.`);
  }
  const running = invoke(arn, json.kind === 'json' ? json.value : {});
  if (!running) return { ...refuse('lambda', 'ResourceNotFoundException', arn), status: 404 };
  const common = { 'content-type': 'application/json', 'x-amzn-requestid': randomUUID() };
  if (headers['x-amz-invocation-type'] === 'Event') {
    return { status: 202, headers: common, body: '' };
  }
  const result = await running;
  switch (result.kind) {
    case 'returned':
      return { status: 200, headers: common, body: result.json };
    case 'failed':
      return {
        status: 200,
        headers: { ...common, 'x-amz-function-error': 'Unhandled' },
        body: JSON.stringify({ errorType: result.errorType, errorMessage: result.errorMessage }),
      };
    case 'throttled':
      return { ...refuse('lambda', 'TooManyRequestsException', 'Rate Exceeded.'), status: 429 };
  }
}

export interface Key {
  readonly secretAccessKey: string;
  /** The role that the key belongs to, or the administrator, who may do everything. */
  readonly caller:
    | { readonly kind: 'administrator' }
    | { readonly kind: 'role'; readonly role: string };
}

interface GatewayParts {
  readonly place: Place;
  readonly keys: ReadonlyMap<string, Key>;
  readonly access: () => AccessControl;
  /** Where the emulator of a service listens. */
  readonly emulators: Readonly<
    Record<Exclude<Service, 'lambda' | 'sts' | 'events' | 'logs'>, string>
  >;
  readonly invoke: Invoke;
  /** The lines of a log group since then. */
  readonly linesOf: (logGroup: string, since: number) => readonly Pick<LogLine, 'at' | 'text'>[];
}

/** The address of all AWS services on this machine: checks signatures and the template's permissions. */
export function startGateway(parts: GatewayParts, port: number): Promise<Server> {
  return startServer((request, response) => handle(parts, request, response), port);
}

async function handle(
  parts: GatewayParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = (...why: Parameters<typeof refuse>) => respond(response, refuse(...why));
  if (!isLoopbackHost(request.headers.host)) {
    return refused(undefined, 'InvalidClientTokenId', 'The Host header must name this machine.');
  }
  const body = await readBody(request);
  if (body.kind === 'broken-off') return;
  if (body.kind === 'too-large') {
    return refused(undefined, 'RequestEntityTooLargeException', 'Too large.');
  }
  const { url: target = '', method = '', headers } = request;
  const [path = ''] = target.split('?');
  const amzTarget = String(headers['x-amz-target'] ?? '');
  const call = identifyCall({ path, amzTarget, body: body.bytes }, parts.place);
  const verified = verifySignature(
    { method, target, headers, body: body.bytes },
    (id) => parts.keys.get(id)?.secretAccessKey,
  );
  const key = verified.kind === 'signed' ? parts.keys.get(verified.accessKeyId) : undefined;
  if (!key) {
    const isForged = verified.kind === 'wrong-signature';
    const code = isForged ? 'InvalidSignatureException' : 'UnrecognizedClientException';
    return refused(call?.service, code, 'The request is not signed with a key of this stack.');
  }
  if (!call) {
    const why = 'This service does not run on this machine.';
    return refused(undefined, 'UnknownOperationException', why);
  }
  const denial = findDenial(parts, key, call);
  if (denial) return refused(call.service, 'AccessDeniedException', denial);
  if (call.service === 'lambda') {
    return respond(response, await answerInvocation(parts.invoke, call, headers, body.bytes));
  }
  // Nothing on this machine has rules.
  if (call.service === 'events') return respond(response, { status: 200, headers: {}, body: '{}' });
  if (call.service === 'logs') {
    return respond(response, answerLogEvents(parts.linesOf, body.bytes.toString()));
  }
  if (call.service === 'sts') return respond(response, answerIdentity(identityOf(parts, key)));
  await forward(parts.emulators, call.service, request, body.bytes, response);
}

function identityOf({ place }: Pick<GatewayParts, 'place'>, { caller }: Key) {
  const name = caller.kind === 'role' ? caller.role : caller.kind;
  return {
    arn: `arn:aws:sts::${place.account}:assumed-role/${name}/${SESSION}`,
    userId: `${name}:${SESSION}`,
  };
}

/** Who uses this machine, in the characters that AWS allows as the name of a session. */
const SESSION = (process.env.USER ?? '').replaceAll(/[^\w+=,.@-]/g, '') || 'this-machine';

function findDenial({ access, place }: GatewayParts, key: Key, call: AwsCall): string | undefined {
  if (key.caller.kind === 'administrator') return undefined;
  const { role } = key.caller;
  const { arn, userId } = identityOf({ place }, key);
  for (const resource of call.resources) {
    const { action, items = [] } = call;
    const context = { 'aws:userid': userId };
    const decision = access().decide({ who: role, action, resource, items, context });
    if (decision.kind === 'denied') {
      return (
        `User: ${arn} is not authorized to perform: ` +
        `${call.action} on resource: ${resource} because ${decision.why}`
      );
    }
  }
  return undefined;
}

/** Keeps the Host header: the emulator builds queue addresses from it. */
function forward(
  emulators: GatewayParts['emulators'],
  service: keyof GatewayParts['emulators'],
  { method, url, headers }: IncomingMessage,
  body: Uint8Array,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    const onward = httpRequest(
      emulators[service],
      { method, path: url, headers: { ...headers, connection: 'close' } },
      (answer) => {
        answer.once('close', resolve);
        if (response.destroyed) return answer.resume();
        const { connection: _, ...kept } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, kept);
        response.once('close', () => answer.resume());
        return answer.pipe(response);
      },
    );
    onward.once('error', () => {
      if (!response.headersSent) {
        respond(response, refuse(undefined, 'ServiceUnavailable', 'The emulator does not answer.'));
      } else response.destroy();
      resolve();
    });
    // A long poll must not receive messages for a client that has gone. Other calls run to their end:
    // dynalite ends the whole process when its database closes under a call (`startDynamoDb`).
    if (service === 'sqs') response.once('close', () => onward.destroy());
    onward.end(body);
  });
}

type Service = 'sqs' | 'dynamodb' | 'secretsmanager' | 'lambda' | 'sts' | 'events' | 'logs';

/** A call to AWS in IAM's terms. */
interface AwsCall {
  readonly service: Service;
  readonly action: string;
  /** All of them must be allowed. */
  readonly resources: readonly string[];
  /** Of a call to DynamoDB: the items or keys in it. */
  readonly items?: readonly Fields[];
}

interface Place {
  readonly region: string;
  readonly account: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** By `X-Amz-Target`: the service, and what its calls name. */
const TARGETS = new Map<string, readonly [Exclude<Service, 'lambda' | 'sts'>, FindArns]>([
  ['AmazonSQS', ['sqs', queueArns]],
  ['DynamoDB_20120810', ['dynamodb', tableArns]],
  ['secretsmanager', ['secretsmanager', secretArns]],
  ['AWSEvents', ['events', busArns]],
  ['Logs_20140328', ['logs', groupArns]],
]);

const INVOKE = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** Each is an action of its own ("Actions, resources, and condition keys for Amazon DynamoDB"). */
const STATEMENT = /^(SELECT|UPDATE|DELETE)\b[^"]*"([^"]+)"/i;

/** Undefined means no service that runs here. */
export function identifyCall(
  request: { readonly path: string; readonly amzTarget: string; readonly body: Uint8Array },
  place: Place,
): AwsCall | undefined {
  const [, functionName] = INVOKE.exec(request.path) ?? [];
  if (functionName !== undefined) {
    const name = decodeURIComponent(functionName).replace(/^arn:.*:function:/, '');
    const arn = arnOf('lambda', place, `function:${name}`);
    return { service: 'lambda', action: 'lambda:InvokeFunction', resources: [arn] };
  }
  // Every caller may ask who it is ("GetCallerIdentity", STS).
  if (Buffer.from(request.body).toString().startsWith('Action=GetCallerIdentity&')) {
    return { service: 'sts', action: 'sts:GetCallerIdentity', resources: [] };
  }
  const [prefix = '', operation = ''] = request.amzTarget.split('.');
  const [service, findArns] = TARGETS.get(prefix) ?? [];
  if (!service || !findArns || operation === '') return undefined;
  // The emulator reports what is wrong.
  const fields: Fields = readJsonObject(Buffer.from(request.body).toString()) ?? {};
  if (service === 'dynamodb') return identifyTableCall(operation, fields, place);
  // A batch needs the permission of the single call ("Actions for Amazon SQS", IAM).
  const action = service === 'sqs' ? operation.replace(/Batch$/, '') : operation;
  return { service, action: `${service}:${action}`, resources: findArns(fields, place) };
}

function identifyTableCall(operation: string, fields: Fields, place: Place): AwsCall {
  const service = 'dynamodb';
  const inserted = operation === 'ExecuteStatement' ? readInsert(fields) : undefined;
  if (inserted) {
    const resources = tableArns({ TableName: inserted.table }, place);
    return { service, action: 'dynamodb:PartiQLInsert', resources, items: [inserted.item] };
  }
  const [, verb = '', table] = STATEMENT.exec(textOf(fields, 'Statement') ?? '') ?? [];
  if (table !== undefined) {
    // Which items it means is not read: the emulator has none of these statements.
    const action = `dynamodb:PartiQL${verb[0]?.toUpperCase()}${verb.slice(1).toLowerCase()}`;
    return { service, action, resources: tableArns({ TableName: table }, place) };
  }
  const items = [fields.Item, fields.Key].filter((one) => one !== undefined).map(Object);
  const resources = tableArns(fields, place);
  return { service, action: `dynamodb:${operation}`, resources, items };
}

/**
 * These functions return every resource that the call names, in any field, because the emulator might
 * use either of two. A call that names nothing counts as a call on everything.
 */
type FindArns = (fields: Fields, place: Place) => readonly string[];

function queueArns(fields: Fields, place: Place): readonly string[] {
  const address = textOf(fields, 'QueueUrl')?.split('/').at(-1);
  return named(address, textOf(fields, 'QueueName')).map((name) => arnOf('sqs', place, name));
}

function secretArns(fields: Fields): readonly string[] {
  const ids = named(textOf(fields, 'SecretId'), textOf(fields, 'Name'));
  return ids.map((id) => (id.startsWith('arn:') ? id : secretArn(id)));
}

/** One table or index, or every table of a batch. */
function tableArns(fields: Fields, place: Place): readonly string[] {
  const index = textOf(fields, 'IndexName');
  const table = textOf(fields, 'TableName');
  const tables = Object.keys(Object(fields.RequestItems));
  const one = table === undefined || index === undefined ? table : `${table}/index/${index}`;
  return named(one, ...tables).map((name) =>
    name.startsWith('arn:') ? name : arnOf('dynamodb', place, `table/${name}`),
  );
}

function busArns({ Entries: entries }: Fields, place: Place): readonly string[] {
  const buses = Array.isArray(entries)
    ? entries.map((one) => textOf(Object(one), 'EventBusName'))
    : [];
  return named(...buses).map((bus) => arnOf('events', place, `event-bus/${bus}`));
}

function groupArns(fields: Fields, place: Place): readonly string[] {
  const names = named(textOf(fields, 'logGroupName'));
  return names.map((name) => arnOf('logs', place, `log-group:${name}:*`));
}

function named(...names: readonly (string | undefined)[]): readonly string[] {
  const given = names.filter((name) => name !== undefined);
  return given.length > 0 ? given : ['*'];
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}
