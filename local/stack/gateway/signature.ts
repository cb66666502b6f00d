import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedRequest {
  readonly method: string;
  /** Path and query as they were sent, with their escapes. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

export type Verification =
  | { readonly kind: 'signed'; readonly accessKeyId: string }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'unknown-key' }
  | { readonly kind: 'wrong-signature' };

const HEADER =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, *SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})$/;

/**
 * Verifies AWS Signature Version 4, so that a function that uses another key id without its secret
 * fails as it would on AWS. ("Create a signed AWS API request", IAM user guide.)
 */
export function verifySignature(
  request: SignedRequest,
  secretOf: (accessKeyId: string) => string | undefined,
): Verification {
  const found = HEADER.exec(headerOf(request, 'authorization'));
  if (!found) return { kind: 'unsigned' };
  const [, accessKeyId = '', date = '', region = '', service = '', signedHeaders = '', given = ''] =
    found;
  const secret = secretOf(accessKeyId);
  if (secret === undefined) return { kind: 'unknown-key' };
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = [
    'AWS4-HMAC-SHA256',
    headerOf(request, 'x-amz-date'),
    scope,
    hash(canonicalRequest(request, signedHeaders)),
  ].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<Buffer>(
    (secretSoFar, part) => hmac(secretSoFar, part),
    Buffer.from(`AWS4${secret}`),
  );
  const isRight = timingSafeEqual(hmac(key, toSign), Buffer.from(given, 'hex'));
  return isRight ? { kind: 'signed', accessKeyId } : { kind: 'wrong-signature' };
}

function canonicalRequest(request: SignedRequest, signedHeaders: string): string {
  const [path = '', query = ''] = request.target.split('?');
  const headers = signedHeaders
    .split(';')
    .map((name) => `${name}:${headerOf(request, name).trim().replace(/ +/g, ' ')}\n`);
  return [
    request.method,
    // Escaped a second time, as every service but S3 expects it.
    path.split('/').map(percentEncode).join('/'),
    query.split('&').toSorted().join('&'),
    headers.join(''),
    signedHeaders,
    hash(request.body),
  ].join('\n');
}

function headerOf({ headers }: SignedRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'object' ? value.join(',') : (value ?? '');
}

const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const hash = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
