import { classify, errorNames, nameOfError } from './error-codes.ts';
import {
  type Finding,
  isObject,
  type JsonObject,
  type OperationId,
  type SentParts,
} from './operations.ts';
import type { BusinessError } from './result.ts';

/** What a call carried, as far as its answer may repeat it. */
export interface Sent {
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
export function readBusinessError(
  operation: OperationId,
  body: JsonObject,
  sent: Sent,
): BusinessError {
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
export function describeFinding(finding: Finding, sent: Sent): BusinessError {
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
