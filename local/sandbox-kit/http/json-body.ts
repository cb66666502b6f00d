import { deepestJson, measureJson } from '../json-size.ts';

export type JsonBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly problem: string };

export function parseJsonBody(bytes: Buffer): JsonBody {
  if (bytes.length === 0) return { kind: 'none' };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { kind: 'unreadable', problem: 'is not UTF-8' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'unreadable', problem: 'is not JSON' };
  }
  // Reading JSON survives any depth; writing it, as the journal does, would not.
  if (measureJson(value).depth > deepestJson) {
    return { kind: 'unreadable', problem: 'is nested too deeply' };
  }
  return { kind: 'json', value };
}
