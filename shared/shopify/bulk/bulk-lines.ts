// node:http only as a type: the file of a real store is behind https.
import type { IncomingMessage } from 'node:http';
import https from 'node:https';

export interface BulkLine {
  readonly text: string;
  /** The byte after this line. */
  readonly end: number;
}

export interface BulkFile {
  readonly url: string;
  /** Ends the reading with an error: an entity that was cut must not pass for a whole one. */
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** The address of the file is not, or no longer, valid. */
export class BulkFileGone extends Error {
  override readonly name = 'BulkFileGone';
}

/** Consecutive attempts without a new byte. */
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
/** Without a byte while a reader waits. */
const IDLE_TIMEOUT_MS = 60_000;
/** Longer than any entity; protects the memory from a file without lines. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Reads lines from a byte on, one at a time: only the buffers of the connection are read ahead. After a
 * lost connection, reading continues at the same byte.
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
      if (attempt >= MAX_ATTEMPTS) throw error;
      await file.pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** Undefined: the file ends at `start`. */
function get({ url, signal }: BulkFile, start: number): Promise<IncomingMessage | undefined> {
  const address = new URL(url);
  const protocol = address.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const headers = {
      'accept-encoding': 'identity',
      ...(start > 0 && { range: `bytes=${start}-` }),
    };
    const request = protocol.get(address, { headers, signal });
    request.setTimeout(IDLE_TIMEOUT_MS, () =>
      request.destroy(new Error('the download made no progress')),
    );
    request.on('error', reject);
    request.on('response', (response) => {
      const { statusCode = 0 } = response;
      if (statusCode === 200 || (start > 0 && statusCode === 206)) return resolve(response);
      response.resume();
      const isEnd = statusCode === 416 && response.headers['content-range'] === `bytes */${start}`;
      if (isEnd) return resolve(undefined);
      if ([400, 401, 403, 404, 410, 416].includes(statusCode)) reject(new BulkFileGone());
      else reject(new Error(`the store answered the download with status ${statusCode}`));
    });
  });
}

async function* linesOf(response: IncomingMessage, start: number): AsyncGenerator<BulkLine> {
  let end = start;
  // A server without support for ranges sends the file from its beginning.
  let skip = response.statusCode === 206 ? 0 : start;
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const whole of response as AsyncIterable<Buffer>) {
    const chunk = whole.subarray(Math.min(skip, whole.length));
    skip -= whole.length - chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, at)]);
      rest = [];
      restBytes = 0;
      from = at + 1;
      end += line.length + 1;
      if (line.length > 0) yield { text: line.toString('utf8'), end };
    }
    rest.push(Buffer.from(chunk.subarray(from)));
    restBytes += chunk.length - from;
    if (restBytes > MAX_LINE_BYTES) throw new Error('a line of the file is too long');
  }
  if (!response.complete) throw new Error('the download ended early');
  const last = Buffer.concat(rest);
  if (last.length > 0) yield { text: last.toString('utf8'), end: end + last.length };
}

export type Fields = Readonly<Record<string, unknown>>;

/** A child belongs to the last owner before it. */
export type BulkEntry =
  | { readonly kind: 'owner'; readonly fields: Fields; readonly end: number }
  | { readonly kind: 'child'; readonly fields: Fields; readonly end: number };

/** The file is not what the store was asked to write, so its content cannot be used. */
export class NotGrouped extends Error {
  override readonly name = 'NotGrouped';
}

/**
 * In a grouped file all children follow their owner. A child of another owner means that an entity sent
 * earlier may have been incomplete.
 */
export async function* readEntries(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntry> {
  let owner: unknown;
  for await (const { text, end } of lines) {
    const fields = parse(text);
    const { __parentId: parentId, ...own } = fields;
    if (parentId === undefined) {
      owner = fields.id;
      yield { kind: 'owner', fields, end };
    } else {
      if (parentId !== owner) throw new NotGrouped('the file is not grouped by owner');
      yield { kind: 'child', fields: own, end };
    }
  }
}

/** One entity of the file with all its children. */
export interface BulkGroup {
  readonly owner: Fields;
  readonly children: readonly Fields[];
  /** The byte after the last child. */
  readonly end: number;
}

/** Holds one entity at a time. */
export async function* readGroups(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkGroup> {
  let group: { owner: Fields; children: Fields[]; end: number } | undefined;
  for await (const entry of readEntries(lines)) {
    if (entry.kind === 'owner') {
      if (group) yield group;
      group = { owner: entry.fields, children: [], end: entry.end };
    } else if (group) {
      group.children.push(entry.fields);
      group.end = entry.end;
    }
  }
  if (group) yield group;
}

function parse(text: string): Fields {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
      return fields as Fields;
    }
  } catch {
    // The error is dropped because it quotes the line, which may hold personal data.
  }
  throw new NotGrouped('the file has a line that is not JSON');
}
