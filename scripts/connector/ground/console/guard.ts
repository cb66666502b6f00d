import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type Refusal = 'other-host' | 'other-origin' | 'not-json' | 'no-session';

/**
 * Keeps all other pages, and all other users of this machine, away from the console. Loopback is no border: any page
 * in the operator's browser can send requests to it, and a name that an attacker owns can lead to it.
 *
 * A session is two secrets. The cookie is sent by the browser alone and never from another site, but it is sent to
 * every port of this machine. The key is kept by the page, whose storage belongs to this port, and goes into a
 * header, which no other page can set. See docs/decisions/0029-setup-and-console-run-the-same-commands-and-keep-no-state.md.
 */
export interface Guard {
  /** For the address that is printed. It opens one session. */
  readonly token: string;
  /** Both secrets of the session that this token opens; undefined if it is wrong or was used before. */
  open(token: string): { readonly cookie: string; readonly key: string } | undefined;
  /** Of any request. */
  refusesHost(headers: IncomingHttpHeaders): Refusal | undefined;
  /** Whether the page itself may be shown. */
  hasCookie(headers: IncomingHttpHeaders): boolean;
  /** Of a request for data or for a change. */
  refusesRun(headers: IncomingHttpHeaders): Refusal | undefined;
}

const KEY_HEADER = 'x-console-key';

export function createGuard(port: number): Guard {
  const token = secret();
  const session = { cookie: secret(), key: secret() };
  const printed = `127.0.0.1:${port}`;
  const cookieName = `console-${port}`;
  let isUsed = false;

  const refusesHost: Guard['refusesHost'] = ({ host }) =>
    host === printed ? undefined : 'other-host';

  const hasCookie: Guard['hasCookie'] = ({ cookie = '' }) =>
    cookie
      .split(';')
      .map((one) => one.trim())
      .some((one) => isSame(one, `${cookieName}=${session.cookie}`));

  return {
    token,
    refusesHost,
    hasCookie,
    open(given) {
      if (isUsed || !isSame(given, token)) return undefined;
      isUsed = true;
      const cookie = `${cookieName}=${session.cookie}; Path=/; HttpOnly; SameSite=Strict`;
      return { cookie, key: session.key };
    },
    refusesRun(headers) {
      const { origin, 'content-type': type } = headers;
      const site = headers['sec-fetch-site'];
      if (refusesHost(headers)) return 'other-host';
      if (origin !== `http://${printed}` || (site !== undefined && site !== 'same-origin')) {
        return 'other-origin';
      }
      if (type !== 'application/json') return 'not-json';
      const key = headers[KEY_HEADER];
      const isOpen = hasCookie(headers) && typeof key === 'string' && isSame(key, session.key);
      return isOpen ? undefined : 'no-session';
    },
  };
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
