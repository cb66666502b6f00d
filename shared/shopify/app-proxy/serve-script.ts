import { createHash } from 'node:crypto';
import type { ProxyAnswer } from './proxy-answer.ts';

/** A theme asks for it on every page; a new version is there after an hour. */
const SCRIPT_SECONDS = 3_600;

export type ScriptServer = (ifNoneMatch: string | undefined) => ProxyAnswer;

/** The widget, under the hash of its text. */
export function createScriptServer(script: string): ScriptServer {
  const etag = `"${createHash('sha256').update(script).digest('base64url')}"`;
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': `public, max-age=${SCRIPT_SECONDS}`,
    'x-content-type-options': 'nosniff',
    etag,
  };
  return (ifNoneMatch) => {
    // A proxy on the way may have marked it as weak when it compressed the text.
    const known = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
    return known.includes(etag)
      ? { status: 304, headers, body: '' }
      : { status: 200, headers, body: script };
  };
}
