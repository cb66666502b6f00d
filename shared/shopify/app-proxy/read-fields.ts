import { badRequest, type ProxyAnswer, unknownField } from './proxy-answer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A set of answers to a long quiz is a tenth of this. */
const MOST_BYTES = 32_768;

export type ReadFields =
  | { readonly kind: 'read'; readonly fields: Fields }
  | { readonly kind: 'bad'; readonly answer: ProxyAnswer };

/** The JSON object of a body, with these fields and no other. */
export function readBody(body: Uint8Array, known: readonly string[]): ReadFields {
  if (body.byteLength > MOST_BYTES) return bad('The body is too large.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return bad('The body must be JSON.');
  }
  return readObject(value, known);
}

/** No id of anybody can be brought in: what is not known is refused, not left out. */
export function readObject(value: unknown, known: readonly string[]): ReadFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('The body must be a JSON object.');
  }
  if (Object.keys(value).some((key) => !known.includes(key))) {
    return { kind: 'bad', answer: unknownField() };
  }
  return { kind: 'read', fields: Object.assign(Object.create(null), value) };
}

/** The service's ids are numbers of 32 bits. */
const LARGEST_ID = 2 ** 31 - 1;

export function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= LARGEST_ID;
}

function bad(message: string): ReadFields {
  return { kind: 'bad', answer: badRequest(message) };
}
