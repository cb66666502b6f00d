import type { IncomingMessage } from 'node:http';

/** Far above the largest order (a line has some hundred bytes), far below what fills the memory. */
export const largestBodyBytes = 8 * 1024 * 1024;

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** The client disconnected before the end of the body. */
  | { readonly kind: 'broken-off' };

export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      // The rest is read and dropped, because a client that is still sending would miss the answer.
      if (size <= largestBodyBytes) chunks.push(chunk);
    }
  } catch {
    return { kind: 'broken-off' };
  }
  if (!request.complete) return { kind: 'broken-off' };
  return size > largestBodyBytes
    ? { kind: 'too-large' }
    : { kind: 'whole', bytes: Buffer.concat(chunks) };
}

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
  // JSON.parse accepts any depth, but JSON.stringify, which the journal uses, does not.
  if (measureJson(value).depth > deepestJson) {
    return { kind: 'unreadable', problem: 'is nested too deeply' };
  }
  return { kind: 'json', value };
}

/** Undefined for a text that is not a JSON object or list. */
export function readJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

interface Target {
  /** As it was sent, with its escapes. */
  readonly rawPath: string;
  readonly query: Readonly<Record<string, string>>;
}

export function splitTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark < 0) return { rawPath: target, query: {} };
  return {
    rawPath: target.slice(0, mark),
    // The last of two parameters with the same name counts.
    query: Object.fromEntries(new URLSearchParams(target.slice(mark + 1))),
  };
}

/**
 * The Host header must name this machine. The server listens on loopback only, but a page in a browser
 * of this machine could make its own name resolve to 127.0.0.1 (DNS rebinding) and would then have
 * the same origin as the sandbox.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i.test(host ?? '');
}

/** Validators and JSON.stringify recurse; a value nested deeper could overflow the stack. */
export const deepestJson = 128;

interface JsonSize {
  /** Counted up to one more than `deepestJson`. */
  readonly depth: number;
  /** Counted at every depth. */
  readonly values: number;
}

/** Not recursive, because it protects recursive code. */
export function measureJson(value: unknown): JsonSize {
  let level: unknown[] = [value];
  let [depth, values] = [0, 0];
  while (depth <= deepestJson) {
    values += level.length;
    level = level.flatMap((v) => (typeof v === 'object' && v !== null ? Object.values(v) : []));
    if (level.length === 0) break;
    depth++;
  }
  return { depth, values };
}
