import type { LoyaltyErrorName } from './error-codes.ts';
import { classify, errorCodes, findErrorCode } from './error-codes.ts';
import type { OperationId } from './operations.ts';
import { isObject, type JsonObject } from './payload.ts';
import type { BusinessError } from './result.ts';
import { scrub } from './scrub.ts';

/** What a call carried, as far as its answer may repeat it. */
export interface Sent {
  readonly input: unknown;
  /** Personal texts and credentials: never to be repeated by us. */
  readonly hidden: () => readonly string[];
}

const mostFields = 20;
const longestSearched = 10_000;
const codesByName = new Map(
  Object.entries(errorCodes).map(([code, { name }]): [string, number] => [name, Number(code)]),
);

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
    findNamedCode(message, sent.input);
  const name: LoyaltyErrorName | undefined = code === undefined ? code : findErrorCode(code)?.name;
  return {
    kind: 'business-error',
    // Without a code the answer says nothing about the request; the age of a message ends retrying.
    class: code === undefined ? 'retry' : classify(code, operation),
    ...(code !== undefined && { code }),
    ...(name !== undefined && { name }),
    message: message === '' ? 'The service gave no message.' : scrub(message, sent.hidden()),
    fields: descriptions
      .slice(0, mostFields)
      .map(({ Field, FieldText }) => [Field, FieldText].filter(isText).join(': '))
      .filter((field) => field !== '')
      .map((field) => scrub(field, sent.hidden())),
  };
}

/**
 * Envelope C has no member for the code, but its messages may hold the error's name. A name that the
 * request itself contained proves nothing: a customer may call himself anything.
 */
function findNamedCode(message: string, input: unknown): number | undefined {
  const words = message.slice(0, longestSearched).match(/\w+/g) ?? [];
  const found = words.find((word) => codesByName.has(word));
  if (found === undefined || JSON.stringify(input).includes(found)) return undefined;
  return codesByName.get(found);
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
