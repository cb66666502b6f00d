import { describe, expect, it } from 'vitest';
import { createGuard } from '../../../scripts/connector/console/guard.ts';

const PORT = 4999;
const HOST = `127.0.0.1:${PORT}`;

function opened() {
  const guard = createGuard(PORT);
  const session = guard.open(guard.token);
  const cookie = session?.cookie.split(';')[0] ?? '';
  const own = {
    host: HOST,
    origin: `http://${HOST}`,
    'content-type': 'application/json',
    cookie: `other=1; ${cookie}`,
    'x-console-key': session?.key ?? '',
    'sec-fetch-site': 'same-origin',
  };
  return { guard, session, own };
}

describe('the guard of the console', () => {
  it('lets the own page ask', () => {
    const { guard, own } = opened();
    expect(guard.refusesRun(own)).toBeUndefined();
    expect(guard.refusesRun({ ...own, 'sec-fetch-site': undefined })).toBeUndefined();
  });

  it.each([
    ['a name that leads here', { host: `attacker.example:${PORT}` }, 'other-host'],
    ['another port', { host: '127.0.0.1:80' }, 'other-host'],
    ['no host', { host: undefined }, 'other-host'],
    ["another page's script", { origin: 'https://attacker.example' }, 'other-origin'],
    ['a sandboxed frame', { origin: 'null' }, 'other-origin'],
    ['a request without an origin', { origin: undefined }, 'other-origin'],
    ['another port of this machine', { origin: 'http://127.0.0.1:80' }, 'other-origin'],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 'other-origin'],
    ["another page's form", { 'content-type': 'text/plain' }, 'not-json'],
    ['no cookie', { cookie: undefined }, 'no-session'],
    ['a wrong cookie', { cookie: `console-${PORT}=guess` }, 'no-session'],
    ['a stolen cookie without the key', { 'x-console-key': undefined }, 'no-session'],
    ['a wrong key', { 'x-console-key': 'guess' }, 'no-session'],
  ])('refuses %s', (_name, headers, refusal) => {
    const { guard, own } = opened();
    expect(guard.refusesRun({ ...own, ...headers })).toBe(refusal);
  });

  it('opens one session, once', () => {
    const { guard, session } = opened();
    expect(session?.cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(guard.open(guard.token)).toBeUndefined();
    expect(createGuard(PORT).open('guess')).toBeUndefined();
  });

  it('makes other secrets in every run', () => {
    const [one, other] = [opened(), opened()];
    expect(one.guard.token).not.toBe(other.guard.token);
    expect(one.guard.refusesRun(other.own)).toBe('no-session');
  });
});
