import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { StorefrontRequest } from './caller.ts';
import type { StorefrontAnswer } from './route.ts';

/** Every page loads the script; a new version reaches all browsers within an hour. */
const SCRIPT_SECONDS = 3_600;

/** Unless it is refused: `gzip;q=0`. */
const GZIP = /^gzip(?!;q=0(?:\.0*)?$)/i;

/** `language`: as the page names it, such as `pt`. Undefined: the script that finds out which one the page has. */
export type ScriptServer = (
  headers: StorefrontRequest['headers'],
  language?: string,
) => StorefrontAnswer;

/** `scripts`: by language, the finder under an empty name. English for a language that is not there. */
export function createScriptServer(scripts: Readonly<Record<string, string>>): ScriptServer {
  const servers = new Map(Object.entries(scripts).map(([name, text]) => [name, serverOf(text)]));
  return (headers, language = '') => {
    const serve = servers.get(language) ?? servers.get('en');
    if (!serve) throw new Error('there is no script in English');
    return serve(headers);
  };
}

function serverOf(script: string): ScriptServer {
  // Weak: one for both forms.
  const etag = `W/"${createHash('sha256').update(script).digest('base64url')}"`;
  const zipped = gzipSync(script, { level: 9 }).toString('base64');
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': `public, max-age=${SCRIPT_SECONDS}`,
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    etag,
  };
  return (asked) => {
    const known = wordsOf(asked['if-none-match']).map((one) => one.replace(/^(W\/)?/, 'W/'));
    if (known.includes(etag)) return { status: 304, headers, body: '' };
    const isZipped = wordsOf(asked['accept-encoding']).some((one) => GZIP.test(one));
    if (!isZipped) return { status: 200, headers, body: script };
    const encoded = { ...headers, 'content-encoding': 'gzip' };
    return { status: 200, headers: encoded, body: zipped, isBase64Encoded: true };
  };
}

const wordsOf = (header = '') => header.split(',').map((one) => one.replaceAll(/\s/g, ''));
