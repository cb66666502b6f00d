// node:http only as types: the file of a real store is behind https.
import type { IncomingMessage } from 'node:http';
import https from 'node:https';

/** One line of a bulk file, and where the next one begins. */
export interface BulkLine {
  readonly text: string;
  /** Bytes of the file up to and with this line. */
  readonly end: number;
}

export interface BulkFile {
  readonly url: string;
  /** Ends the reading with its own reason: an entity cut short must not pass for a whole one. */
  readonly signal: AbortSignal;
  /** Waits before a further attempt. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** The store's address of the file is not, or no longer, good for it. */
export class BulkFileGone extends Error {
  override readonly name = 'BulkFileGone';
}

/** Attempts in a row that bring no byte. */
const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
/** A connection on which nothing moves although somebody waits for it. */
const SILENT_MS = 60_000;
/** Longer than any entity; a file that is not lines must not fill the memory. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/**
 * The lines of the file from a byte on, one at a time: nothing is read ahead of what is asked for but
 * the buffers of the connection. A connection that breaks is opened again where it broke.
 */
export async function* readBulkLines(file: BulkFile, start: number): AsyncGenerator<BulkLine> {
  let end = start;
  for (let attempt = 0; ; ) {
    const before = end;
    try {
      const response = await get(file, end);
      if (!response) return;
      for await (const line of linesOf(response, end)) {
        file.signal.throwIfAborted();
        end = line.end;
        yield line;
      }
      return;
    } catch (error) {
      file.signal.throwIfAborted();
      if (error instanceof BulkFileGone) throw error;
      attempt = end > before ? 1 : attempt + 1;
      if (attempt >= MOST_ATTEMPTS) throw error;
      await file.pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** Undefined: the file ends where it was to begin. */
function get({ url, signal }: BulkFile, start: number): Promise<IncomingMessage | undefined> {
  const address = new URL(url);
  const protocol = address.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const headers = {
      'accept-encoding': 'identity',
      ...(start > 0 && { range: `bytes=${start}-` }),
    };
    const request = protocol.get(address, { headers, signal });
    request.setTimeout(SILENT_MS, () => request.destroy(new Error('the file stands still')));
    request.on('error', reject);
    request.on('response', (response) => {
      const { statusCode = 0 } = response;
      if (statusCode === 200 || (start > 0 && statusCode === 206)) return resolve(response);
      response.resume();
      const isEnd = statusCode === 416 && response.headers['content-range'] === `bytes */${start}`;
      if (isEnd) return resolve(undefined);
      if ([400, 401, 403, 404, 410, 416].includes(statusCode)) reject(new BulkFileGone());
      else reject(new Error(`the file was answered with status ${statusCode}`));
    });
  });
}

async function* linesOf(response: IncomingMessage, start: number): AsyncGenerator<BulkLine> {
  let end = start;
  // A server that knows no ranges sends the file from its beginning.
  let skip = response.statusCode === 206 ? 0 : start;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const whole of response as AsyncIterable<Buffer>) {
    const chunk = whole.subarray(Math.min(skip, whole.length));
    skip -= whole.length - chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, at)]);
      begun = [];
      begunBytes = 0;
      from = at + 1;
      end += line.length + 1;
      if (line.length > 0) yield { text: line.toString('utf8'), end };
    }
    begun.push(Buffer.from(chunk.subarray(from)));
    begunBytes += chunk.length - from;
    if (begunBytes > LONGEST_LINE_BYTES) throw new Error('the file is not made of lines');
  }
  if (!response.complete) throw new Error('the file broke off');
  const rest = Buffer.concat(begun);
  if (rest.length > 0) yield { text: rest.toString('utf8'), end: end + rest.length };
}
