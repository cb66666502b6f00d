import type { IncomingMessage } from 'node:http';

/** Far above the largest order (a line is some hundred bytes), far below what fills the memory. */
export const largestBodyBytes = 8 * 1024 * 1024;

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** The client went away in the middle of it. */
  | { readonly kind: 'broken-off' };

export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      // The rest is read and dropped: a client still sending would not see the answer.
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
