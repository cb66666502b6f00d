import { classify, errorNames, nameOfError } from './error-codes.ts';
import {
  Finding,
  isObject,
  type JsonObject,
  type OperationId,
  operationTable,
  type SentParts,
  type Value,
} from './operations.ts';
import {
  type BusinessError,
  type CallAnswer,
  type LoyaltyResult,
  type TransportFailure,
  type TransportFailureReason,
  transportFailure,
} from './result.ts';

/** Makes one result of any HTTP answer, and never throws. */
export function readAnswer<O extends OperationId>(
  operation: O,
  answer: CallAnswer,
  sent: Sent,
  now: Date,
): LoyaltyResult<Value<O>> {
  const body = parseObject(answer.text, operation);
  const failure = readStatus(answer, now);
  const businessError = () => {
    const afterSeconds = readRetryAfter(answer.headers['retry-after'], now);
    const error = readBusinessError(operation, body ?? {}, sent);
    return afterSeconds === undefined ? error : { ...error, retryAfterSeconds: afterSeconds };
  };
  if (failure !== undefined) {
    // Some operations answer 400 with envelope A. Where a status is about this request and an error
    // comes with it, the error says more. Never for 401, 403, 429 and 5xx: they are about the service.
    const isRefused = failure.reason === 'refused';
    const isAboutRequest = isRefused || failure.status === 404;
    const error = isAboutRequest && body && reportsError(body) ? businessError() : undefined;
    if (error?.code !== undefined) return error;
    // A 404 may be a wrong address. Any other of these says that the request is not acceptable.
    return error && isRefused ? { ...error, class: 'rejected' } : failure;
  }
  if (isNothing(operation, answer)) {
    const { status } = answer;
    const message = `HTTP ${status} without an object.`;
    return transportFailure('not-found', { mayHaveHappened: false, status, message });
  }
  if (body === undefined) {
    const what = answer.text.trim() === '' ? 'empty' : 'not a JSON object';
    return notTheContract(answer, sent, what);
  }
  if (reportsError(body) || saysOnlyErrors(operation, body)) return businessError();
  const unlike = `not the shape of ${operation}'s answer`;
  return readSuccess(operation, body, sent) ?? notTheContract(answer, sent, unlike);
}

function reportsError({ HasError, Severity }: JsonObject): boolean {
  return HasError === true || Severity === 2;
}

/** Where the object comes bare, none is nothing at all: an empty text alone may be a broken answer. */
function isNothing(operation: OperationId, { status, text }: CallAnswer): boolean {
  const { method, envelope } = operationTable[operation];
  return method === 'GET' && envelope === 'none' && (status === 204 || text.trim() === 'null');
}

/**
 * Where the object comes bare, a failure may have error members and nothing that announces them. A challenge
 * that failed announces them by its `Success`.
 */
function saysOnlyErrors(operation: OperationId, body: JsonObject): boolean {
  const { envelope } = operationTable[operation];
  if (envelope !== 'none' || body.Success === false) return false;
  const { ErrorCode, ErrorMessage, ErrorMessages } = body;
  return (
    typeof ErrorCode === 'number' ||
    (typeof ErrorMessage === 'string' && ErrorMessage !== '') ||
    (Array.isArray(ErrorMessages) && ErrorMessages.length > 0)
  );
}

function readSuccess<O extends OperationId>(
  operation: O,
  body: JsonObject,
  sent: Sent,
): LoyaltyResult<Value<O>> | undefined {
  const { value: valueIn, envelope } = operationTable[operation];
  const saysNoError = body.HasError === false;
  const mayKeepSilent = envelope === 'none' && body.HasError === undefined;
  // Severity is missing in three envelopes and in the older shape of the fourth.
  const severityIsKnown = [undefined, 0, 1].some((severity) => severity === body.Severity);
  const found = valueIn(body, sent.input);
  if (!(saysNoError || mayKeepSilent) || !severityIsKnown || found === undefined) return undefined;
  if (found instanceof Finding) return describeFinding(found, sent);
  const value = found as Value<O>;
  return body.Severity === 1 || body.HasWarning === true
    ? {
        kind: 'warning',
        value,
        code: textIn(body.Code, sent),
        codeName: textIn(body.CodeName, sent),
      }
    : { kind: 'success', value };
}

/** Describes the body and does not quote it: an unknown text may hold anything. */
function notTheContract(answer: CallAnswer, sent: Sent, what: string): TransportFailure {
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(answer.headers['content-type'] ?? '')?.[0];
  const size = Buffer.byteLength(answer.text);
  const described = type === undefined ? 'of no stated type' : `of ${scrub(type, sent.hidden())}`;
  return transportFailure('not-the-contract', {
    mayHaveHappened: true,
    status: answer.status,
    message: `HTTP ${answer.status} with ${size} bytes ${described}: ${what}.`,
  });
}

function textIn(value: unknown, { hidden }: Sent): string | undefined {
  return typeof value === 'string' ? scrub(value, hidden()) : undefined;
}

function parseObject(text: string, operation: OperationId): JsonObject | undefined {
  const { answersWithPin } = operationTable[operation];
  const withoutPin = (name: string, value: unknown) => (name === 'Code' ? undefined : value);
  try {
    const value: unknown = JSON.parse(text, answersWithPin && withoutPin);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The failure that a status alone means; undefined for 2xx, where the body decides. */
function readStatus({ status, headers }: CallAnswer, now: Date): TransportFailure | undefined {
  if (status >= 200 && status <= 299) return undefined;
  const reason = reasonOf(status);
  const afterSeconds = readRetryAfter(headers['retry-after'], now);
  return transportFailure(reason, {
    // 4xx says that the request was not carried out; 408 and a redirect (303) leave it open.
    mayHaveHappened: !(status >= 400 && status <= 499) || status === 408,
    status,
    message: `HTTP ${status}${status >= 300 && status <= 399 ? ', a redirect, not followed' : ''}.`,
    ...(afterSeconds !== undefined && { retryAfterSeconds: afterSeconds }),
  });
}

function reasonOf(status: number): TransportFailureReason {
  if (status === 429) return 'throttled';
  if (status === 408 || (status >= 500 && status <= 599)) return 'unavailable';
  if (status === 404) return 'not-found';
  if (status === 403) return 'forbidden';
  if (status === 401 || status === 407) return 'misconfigured';
  if (status >= 300 && status <= 399) return 'misconfigured';
  return status >= 400 && status <= 499 ? 'refused' : 'not-the-contract';
}

/** A service that asks for more has sent nonsense, or a date by a wrong clock. */
const LONGEST_RETRY_AFTER_SECONDS = 24 * 60 * 60;

/** Retry-After as seconds from now: it may be a number of seconds or an HTTP date. */
function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : / GMT$/.test(text)
      ? Math.ceil((Date.parse(text) - now.getTime()) / 1000)
      : Number.NaN;
  return Number.isNaN(seconds)
    ? undefined
    : Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_SECONDS);
}

/** What a call carried, as far as its answer may repeat it. */
interface Sent {
  readonly input: SentParts;
  /** Personal texts and credentials: never to be repeated by us. */
  readonly hidden: () => readonly string[];
}

const mostFields = 20;
const longestSearched = 10_000;

/** Built for the first error that needs it: most processes see none. */
let codesByName: ReadonlyMap<string, number> | undefined;

function codeNamed(name: string): number | undefined {
  codesByName ??= new Map(Object.entries(errorNames).map(([code, text]) => [text, Number(code)]));
  return codesByName.get(name);
}

/**
 * A CodeName is spelled in the service's newer way (`CustomerNotFound` for `Customer_NotFound`), and
 * may lack the part before the first underscore. What fits several errors fits none.
 */
function codeOfCodeName(codeName: string): number | undefined {
  const wanted = plain(codeName);
  const names = Object.values(errorNames);
  const same = names.find((name) => plain(name) === wanted);
  const [short, ...others] = names.filter(
    (name) => plain(name.slice(name.indexOf('_') + 1)) === wanted,
  );
  const found = same ?? (others.length === 0 ? short : undefined);
  return found === undefined ? undefined : codeNamed(found);
}

/** Reads the error members of all four envelopes; an answer has some of them at most. */
function readBusinessError(operation: OperationId, body: JsonObject, sent: Sent): BusinessError {
  const descriptions = listIn(body.ErrorDescriptions).filter(isObject);
  const texts = [body.Code, body.CodeName, body.ErrorMessage, ...listIn(body.ErrorMessages)].filter(
    isText,
  );
  const message = [...new Set(texts)].join(' ');
  const code =
    [body.ErrorCode, ...descriptions.map(({ Description }) => Description)].find(isCode) ??
    (isText(body.CodeName) ? codeOfCodeName(body.CodeName) : undefined) ??
    findNamedCode(message, sent.input);
  const name = code === undefined ? undefined : nameOfError(code);
  return {
    kind: 'business-error',
    class: code === undefined ? classOfUnnumbered(operation, body) : classify(code, operation),
    ...(code !== undefined && { code }),
    ...(name !== undefined && { name }),
    ...(isText(body.CodeName) && { codeName: scrub(body.CodeName, sent.hidden()) }),
    message: message === '' ? 'The service gave no message.' : scrub(message, sent.hidden()),
    fields: descriptions
      .slice(0, mostFields)
      .map(({ Field, FieldText }) => [Field, FieldText].filter(isText).join(': '))
      .filter((field) => field !== '')
      .map((field) => scrub(field, sent.hidden())),
  };
}

/**
 * The number is "legacy" and may be missing. A business code of the service's names what is wrong, so a
 * repetition gets the same answer. An error with neither says nothing about the request, and the age of the
 * message ends retrying. A redemption is the exception: a service that says why it gives no reward has
 * spent nothing, and the customer waits for the answer.
 */
function classOfUnnumbered(operation: OperationId, body: JsonObject): 'rejected' | 'retry' {
  if (isText(body.Code) || isText(body.CodeName)) return 'rejected';
  const saysWhy = isText(body.ErrorMessage) || listIn(body.ErrorMessages).some(isText);
  return REDEEMS.has(operation) && saysWhy ? 'rejected' : 'retry';
}

const REDEEMS: ReadonlySet<OperationId> = new Set(['redeemReward', 'redeemRewardByKey']);

/** For an answer that reports no error. */
function describeFinding(finding: Finding, sent: Sent): BusinessError {
  const { name, class: errorClass, text } = finding;
  return {
    kind: 'business-error',
    class: errorClass,
    finding: name,
    message:
      text === undefined ? FINDINGS[name] : scrub(`${FINDINGS[name]} ${text}`, sent.hidden()),
    fields: [],
  };
}

const FINDINGS: Readonly<Record<Finding['name'], string>> = {
  'not-cancelled': 'The answer does not say that it is cancelled.',
  'not-completed': 'The answer does not say that the order is completed.',
  'refund-refused': 'The service refused to cancel this part of the order.',
  'cancel-key-used': 'The service says that the key of this part was used before.',
  'customer-does-not-exist': 'The service does not know the customer.',
  'points-error': 'The service reports an error in the points.',
  'reward-missing': 'The answer does not hold the reward.',
  'reward-disabled': 'The answer holds the reward as disabled.',
};

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/**
 * Envelope C has no member for the code, but its messages may hold the error's name. A name that the
 * request itself contained proves nothing: a customer may call himself anything.
 */
function findNamedCode(message: string, input: unknown): number | undefined {
  const words = message.slice(0, longestSearched).match(/\w+/g) ?? [];
  const found = words.find((word) => codeNamed(word) !== undefined);
  if (found === undefined || JSON.stringify(input).includes(found)) return undefined;
  return codeNamed(found);
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCode(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Texts in these fields of the contract are about a person or may have been written by one. */
const personalMembers = new Set([
  'Code',
  'Customer',
  'CustomerId',
  'CustomerReason',
  'customerId',
  'Email',
  'Metadatas',
  'OpenAnswer',
  'Phone',
  'Reason',
  'SalesPerson',
]);

/** The personal texts of a request. */
export function personalTexts(value: unknown, personal = false): string[] {
  if (typeof value === 'string') return personal ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    // The settings choose the names of metadata: hidden, they would blank words of every message.
    if (name === 'Metadatas' && Array.isArray(member))
      return personalTexts(member.map(metadataValue), true);
    return personalTexts(member, personal || personalMembers.has(name));
  });
}

const metadataValue = (metadata: unknown): unknown =>
  isObject(metadata) ? metadata.Value : metadata;

/** Short, and without letters: it cannot itself look like a name. */
const mask = '***';
const longestMessage = 300;
/** Longer than any useful message. Cutting a text before scrubbing could cut a name in two. */
const longestQuotable = 4000;

/**
 * Makes the service's text safe to log. Removes the hidden texts (in any case, and URL-encoded), their
 * single words (the service may quote only a first name), and everything that looks like an e-mail
 * address or a long number.
 */
export function scrub(text: string, hidden: readonly string[]): string {
  if (text.length > longestQuotable) return `(a text of ${text.length} characters)`;
  const plain = onOneLine(text);
  const marked = new Uint8Array(plain.length);
  for (const form of new Set(hidden.flatMap(formsOf))) {
    for (const at of occurrencesOf(form, plain)) marked.fill(1, at, at + form.length);
  }
  let masked = '';
  for (let at = 0; at < plain.length; at += 1) {
    if (marked[at] === 0) masked += plain[at];
    else if (at === 0 || marked[at - 1] === 0) masked += mask;
  }
  masked = masked
    .split(' ')
    .map((word) => (word.includes('@') ? mask : word))
    .join(' ')
    .replace(/\p{Nd}(?:[ ().,/:+-]{0,3}\p{Nd}){5,}/gu, mask);
  return masked.length <= longestMessage ? masked : `${masked.slice(0, longestMessage - 1)}…`;
}

function formsOf(text: string): string[] {
  const line = onOneLine(text).trim();
  const words = line.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  return [line, encodeURIComponent(line.toWellFormed()), ...words];
}

/**
 * Includes overlapping ones. Texts of two or three characters count only as whole words, because "Li"
 * would mask a part of "limit"; single characters reveal nothing.
 */
function occurrencesOf(form: string, text: string): number[] {
  // A request can contain thousands of texts, and this quick search excludes nearly all of them.
  if (form.length < 2 || !text.toLowerCase().includes(form.toLowerCase())) return [];
  const pattern = new RegExp(form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi');
  const places: number[] = [];
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const at = found.index;
    const standsAlone = !isOfWord(text[at - 1]) && !isOfWord(text[at + form.length]);
    if (form.length >= 4 || standsAlone) places.push(at);
    pattern.lastIndex = at + 1;
  }
  return places;
}

function isOfWord(unit = ''): boolean {
  return /[\p{L}\p{M}\p{N}]/u.test(unit);
}

/** A log line must not contain line breaks or control characters of another party. */
function onOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}
