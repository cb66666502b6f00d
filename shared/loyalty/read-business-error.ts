import { classify, errorNames, nameOfError } from './error-codes.ts';
import type { OperationId } from './operations.ts';
import { type Finding, isObject, type JsonObject, type SentParts } from './payload.ts';
import type { BusinessError } from './result.ts';
import { scrub } from './scrub.ts';

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
 * repetition hears the same. An error with neither says nothing about the request, and the age of the
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
