import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../../../shared/loyalty/client.ts';
import { type Body, isLoopbackHost, largestBodyBytes } from '../../sandbox-kit/http/requests.ts';
import type { Service } from '../service.ts';
import { type Reaction, refusal } from './reaction.ts';
import type { Route } from './router.ts';

export type Admission =
  | { readonly kind: 'admitted'; readonly route: Extract<Route, { kind: 'operation' }> }
  | { readonly kind: 'refused'; readonly reaction: Reaction };

/** Whether a request is a call of an operation at all, before the operation looks at it. */
export function admit(
  { parts: { settings } }: Service,
  { headers }: IncomingMessage,
  route: Route,
  body: Body,
): Admission {
  const refused = (...refusalOf: Parameters<typeof refusal>): Admission => ({
    kind: 'refused',
    reaction: refusal(...refusalOf),
  });
  if (!isLoopbackHost(headers.host)) return refused(403, 'The Host header names another machine.');
  switch (route.kind) {
    case 'unknown-path':
      return refused(404, 'No operation has this path.');
    case 'bad-escape':
      return refused(400, 'The path has a percent sign that begins no valid UTF-8 escape.');
    case 'wrong-method': {
      const allow = route.allowed.join(', ');
      return refused(405, `This path takes ${allow}.`, { allow });
    }
    case 'operation':
      if (!isAuthorized(headers.authorization, settings.credentials)) {
        const challenge = { 'www-authenticate': 'Basic realm="loyalty sandbox", charset="UTF-8"' };
        return refused(
          settings.badCredentialStatus,
          'The credentials are missing or wrong.',
          challenge,
        );
      }
      if (body.kind === 'too-large') {
        return refused(413, `The body is larger than ${largestBodyBytes} bytes.`);
      }
      return { kind: 'admitted', route };
  }
}

/** Takes the same time for every wrong value: the digests are compared, and have one length. */
function isAuthorized(authorization: string | undefined, expected: Credentials): boolean {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return false;
  return timingSafeEqual(
    digest(Buffer.from(encoded, 'base64')),
    digest(Buffer.from(`${expected.token}:${expected.key}`)),
  );
}

const digest = (value: Buffer): Buffer => createHash('sha256').update(value).digest();
