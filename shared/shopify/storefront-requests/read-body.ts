import { badRequest, type StorefrontAnswer, unknownField } from './route.ts';

export type Read<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'bad'; readonly answer: StorefrontAnswer };

type Fields = Readonly<Record<string, unknown>>;

/** The answers to a long quiz need a tenth of this. */
const MAX_BODY_BYTES = 32_768;

export function readBody(body: Uint8Array, known: readonly string[]): Read<Fields> {
  if (body.byteLength > MAX_BODY_BYTES) return bad('The body is too large.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return bad('The body must be JSON.');
  }
  return readObject(value, known);
}

/** An unknown field is refused, not ignored, so that no request can name another customer. */
export function readObject(value: unknown, known: readonly string[]): Read<Fields> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('The body must be a JSON object.');
  }
  if (Object.keys(value).some((key) => !known.includes(key))) {
    return { kind: 'bad', answer: unknownField() };
  }
  return { kind: 'read', value: Object.assign(Object.create(null), value) };
}

/** The loyalty service's ids are 32-bit numbers. */
const MAX_ID = 2 ** 31 - 1;

export function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
}

export function bad(message: string): { readonly kind: 'bad'; readonly answer: StorefrontAnswer } {
  return { kind: 'bad', answer: badRequest(message) };
}
