import { describe, expect, it, vi } from 'vitest';
import { faultIn } from '../../scripts/connector/set-up/set-secret.ts';
import type { ParsedSecret, SecretTexts } from '../../shared/core/platform/platform.ts';
import {
  createSecretReader,
  createShopSecrets,
  type SecretReaderOptions,
} from '../../shared/services/shop-secrets.ts';
import { parseAdminSecret } from '../../shared/shopify/admin/client/admin-secret.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const parsePassword = ({ password }: SecretTexts): ParsedSecret<string> =>
  password === undefined
    ? { kind: 'fault', field: 'password' }
    : { kind: 'parsed', value: password };

/** A source that answers from `texts`, the last one again and again; an Error is thrown. */
function setUp(
  texts: readonly (string | Error)[],
  options: Partial<SecretReaderOptions<string>> = {},
) {
  const clock = { now: 0 };
  const failures: unknown[] = [];
  let requests = 0;
  const reader = createSecretReader<string>({
    name: 'loyalty/example',
    parse: parsePassword,
    now: () => clock.now,
    onFailedRenewal: (error) => failures.push(error),
    async source(name) {
      expect(name).toBe('loyalty/example');
      const answer = texts[Math.min(requests, texts.length - 1)];
      requests += 1;
      await new Promise(setImmediate);
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    },
    ...options,
  });
  return { reader, clock, failures, requests: () => requests };
}

const secret = (password: string) => JSON.stringify({ password });
const down = new Error('unreachable');

describe('a cached secret', () => {
  it('is asked for once while it is young, and again when it is old', async () => {
    const { reader, clock, requests } = setUp([secret('one'), secret('two')]);
    expect(await reader.get()).toBe('one');
    clock.now = 5 * MINUTE - 1;
    expect(await reader.get()).toBe('one');
    expect(requests()).toBe(1);
    clock.now = 5 * MINUTE;
    expect(await reader.get()).toBe('two');
    expect(requests()).toBe(2);
  });

  it('is asked for once by callers at the same time', async () => {
    const { reader, clock, requests } = setUp([secret('one'), secret('two')]);
    expect(await Promise.all([reader.get(), reader.get(), reader.get()])).toEqual([
      'one',
      'one',
      'one',
    ]);
    expect(requests()).toBe(1);
    clock.now = 10 * MINUTE;
    const renewals = await Promise.all([reader.refresh(), reader.refresh(), reader.get()]);
    expect(renewals).toEqual([
      { kind: 'renewed', value: 'two' },
      { kind: 'renewed', value: 'two' },
      'two',
    ]);
    expect(requests()).toBe(2);
  });

  it('is refreshed at most once a minute, however many signatures fail', async () => {
    const { reader, clock, requests } = setUp([secret('one'), secret('one'), secret('two')]);
    await reader.get();
    for (clock.now = 0; clock.now < 3 * MINUTE; clock.now += SECOND) await reader.refresh();
    // At 0 s, 60 s and 120 s.
    expect(requests()).toBe(3);
    expect(await reader.get()).toBe('two');
  });

  it('says whether a refresh brought anything new', async () => {
    const { reader, clock } = setUp([secret('one'), secret('one'), secret('two')]);
    await reader.get();
    clock.now = MINUTE;
    expect(await reader.refresh()).toEqual({ kind: 'unchanged', value: 'one' });
    clock.now = 2 * MINUTE - 1;
    expect(await reader.refresh()).toEqual({ kind: 'unchanged', value: 'one' });
    clock.now = 2 * MINUTE;
    expect(await reader.refresh()).toEqual({ kind: 'renewed', value: 'two' });
  });

  it('goes on serving through an outage, without a request for every event, and not for ever', async () => {
    const { reader, clock, requests, failures } = setUp([secret('one'), down]);
    await reader.get();
    clock.now = 5 * MINUTE;
    for (let event = 0; event < 100; event += 1) expect(await reader.get()).toBe('one');
    expect(requests()).toBe(2);
    expect(failures).toEqual([down]);
    clock.now = 6 * MINUTE;
    expect(await reader.refresh()).toEqual({ kind: 'unchanged', value: 'one' });
    expect(requests()).toBe(3);
    clock.now = 60 * MINUTE - 1;
    expect(await reader.get()).toBe('one');
    clock.now = 60 * MINUTE;
    await expect(reader.get()).rejects.toBe(down);
    await expect(reader.refresh()).rejects.toBe(down);
  });

  it('keeps serving when a broken one is stored', async () => {
    const { reader, clock, failures } = setUp([secret('one'), '{"password":""}', secret('two')]);
    await reader.get();
    clock.now = 5 * MINUTE;
    expect(await reader.get()).toBe('one');
    expect(String(failures[0])).toContain('loyalty/example: field password');
    clock.now = 6 * MINUTE;
    expect(await reader.get()).toBe('two');
  });

  it('that is not there is asked for again after a pause, not for every event', async () => {
    const { reader, clock, requests } = setUp([down, secret('one')]);
    await expect(reader.get()).rejects.toBe(down);
    await expect(reader.get()).rejects.toBe(down);
    await expect(reader.refresh()).rejects.toBe(down);
    expect(requests()).toBe(1);
    clock.now += 5_000;
    expect(await reader.get()).toBe('one');
  });

  it.each([
    ['no JSON', 'hunter2', 'is not a JSON object'],
    ['a list', '["hunter2"]', 'is not a JSON object'],
    ['null', 'null', 'is not a JSON object'],
    ['no field', '{"passwort":"hunter2"}', 'field password must be a text'],
    ['an inherited field', '{"__proto__":{"password":"hunter2"}}', 'field password must be a text'],
    ['a number', '{"password":2,"other":"hunter2"}', 'field password must be a text'],
  ])('names secret and field, never the value, when it holds %s', async (_, text, why) => {
    const { reader } = setUp([text]);
    const fault = await reader.get().then(
      () => expect.unreachable(),
      (error) => error,
    );
    expect(String(fault)).toContain(`secret loyalty/example`);
    expect(String(fault)).toContain(why);
    expect(`${fault.stack} ${JSON.stringify(fault)} ${fault.cause}`).not.toContain('hunter2');
  });
});

describe('the store secret', () => {
  const read = (fields: Readonly<Record<string, string>>) => {
    const parsed = parseAdminSecret(fields);
    return parsed.kind === 'parsed' ? parsed.value : parsed.field;
  };
  const id = { clientId: 'the-app' };

  it('is a client id and secret, or the token of an older app with or without its id', () => {
    const token = { accessToken: 'shpat_1' };
    expect(read(token)).toEqual({ kind: 'static', ...token });
    expect(read({ ...token, ...id })).toEqual({ kind: 'static', ...token, ...id });
    const pair = { ...id, clientSecret: 'secret' };
    expect(read(pair)).toEqual({ kind: 'client-credentials', ...pair });
    expect(read({ ...pair, ...token })).toEqual({ kind: 'static', ...token, ...id });
  });

  it('is not a part of them', () => {
    expect(read(id)).toBe('clientSecret');
    expect(read({ clientSecret: 'secret' })).toBe('clientId');
  });

  it('can be stored in each form', () => {
    const SHOPIFY = { platform: 'shopify' } as const;
    expect(faultIn('store', { accessToken: 'shpat_1', ...id }, SHOPIFY)).toBeUndefined();
    expect(faultIn('store', { accessToken: 'shpat_1', client_id: 'x' }, SHOPIFY)).toMatch(
      /client_id/,
    );
  });
});

it.each([
  ['webhook', 1],
  ['points', 1],
  ['loyalty', 2],
  ['store', 2],
] as const)(
  'a %s secret that is refused again after 6 s was read %i times',
  async (purpose, times) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let reads = 0;
    const getSecretValue = async () => {
      reads += 1;
      return { SecretString: '{"current":"a","token":"b","key":"c"}' };
    };
    const secrets = createShopSecrets({ getSecretValue } as never, 'prefix', {} as never);
    const parse = (value: SecretTexts) => ({ kind: 'parsed', value });
    const open: (path: string, given: never) => Record<'get' | 'refresh', () => unknown> =
      secrets[purpose];
    const secret = open('shop', parse as never);
    await secret.get();
    vi.advanceTimersByTime(6 * SECOND);
    await secret.refresh();
    vi.useRealTimers();
    expect(reads).toBe(times);
  },
);
