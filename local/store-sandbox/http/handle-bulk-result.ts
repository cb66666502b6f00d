import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { jsonAnswer, respond } from '../../sandbox-kit/http/server.ts';
import type { StoreService } from '../service.ts';

/** Serves the file of a bulk operation, whole or from a given byte. */
export async function handleBulkResult(
  service: StoreService,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces = service.api.bulk.result(key);
  if (!pieces) return respond(response, jsonAnswer(404, { problems: ['No such file.'] }));
  const size = pieces.reduce((bytes, piece) => bytes + piece.length, 0);
  const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const start = first === undefined ? 0 : Number(first);
  const type = { 'content-type': 'application/jsonl; charset=utf-8', 'cache-control': 'no-store' };
  if (start > 0 && start >= size) {
    response.writeHead(416, { ...type, 'content-range': `bytes */${size}` }).end();
    return;
  }
  response.writeHead(first === undefined ? 200 : 206, {
    ...type,
    'accept-ranges': 'bytes',
    'content-length': size - start,
    ...(first !== undefined && { 'content-range': `bytes ${start}-${size - 1}/${size}` }),
  });
  // A client that disconnects is not an error.
  await pipeline(Readable.from(piecesFrom(pieces, start)), response).catch(() => undefined);
}

function* piecesFrom(pieces: readonly Buffer[], start: number): Generator<Buffer> {
  let skip = start;
  for (const piece of pieces) {
    if (skip < piece.length) yield piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
  }
}
