import { afterEach, expect, it, vi } from 'vitest';
import { createAsk } from '../../../app/program/ask.ts';
import { STOREFRONT_TIMEOUT } from '../../../infra/storage.ts';

afterEach(() => void vi.unstubAllGlobals());

/** What is asked for, and the answer that this gives. */
async function ask(answer: Response | Error, body?: object, token?: () => Promise<string>) {
  const fetched = vi.fn(async (_: string, __: RequestInit) => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  vi.stubGlobal('fetch', fetched);
  const got = await createAsk('/apps/loyalty', token)('me', body);
  const [path, sent] = fetched.mock.calls[0] ?? [];
  return { got, path, sent };
}

const refusal = (code: string, more = {}) =>
  JSON.stringify({ error: { code, message: 'm', ...more } });
const withSeconds = (seconds: string) => ({ headers: { 'retry-after': seconds } });

it.each<[string, Response | Error, object]>([
  ['the value', new Response('{"points":3}'), { kind: 'ok', value: { points: 3 } }],
  [
    'why it is refused, how long to wait, and what the program says',
    new Response(refusal('busy', { programMessage: 'p', asks: ['phone'] }), {
      status: 409,
      ...withSeconds('1.2'),
    }),
    { kind: 'failed', code: 'busy', afterSeconds: 2, programMessage: 'p', asks: ['phone'] },
  ],
  [
    'no time to wait where none is stated',
    new Response(refusal('busy'), { status: 429 }),
    { kind: 'failed', code: 'busy', afterSeconds: undefined },
  ],
  [
    'that another program answered',
    new Response('<html>', { status: 502 }),
    { code: 'unavailable' },
  ],
  ['that no answer came', new Error('offline'), { code: 'network' }],
])('an answer becomes %s', async (_, answer, expected) => {
  expect((await ask(answer)).got).toMatchObject(expected);
});

it('a question waits for as long as the function may work on it, and no redemption is taken for lost before', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  await ask(new Response('{}'));
  expect(timeout.mock.lastCall?.[0]).toBeGreaterThanOrEqual(STOREFRONT_TIMEOUT.toMilliseconds());
  timeout.mockRestore();
});

it('a question is a GET, or a POST with its body, and has the token of the moment', async () => {
  const { path, sent } = await ask(new Response('{}'));
  expect([path, sent?.method, sent?.body]).toEqual(['/apps/loyalty/me', undefined, undefined]);
  expect(sent?.headers).toEqual({ accept: 'application/json' });
  const posted = await ask(new Response('{}'), { id: 7 }, async () => 'token-1');
  expect(posted.sent).toMatchObject({
    ...{ method: 'POST', body: '{"id":7}' },
    headers: { authorization: 'Bearer token-1', 'content-type': 'application/json' },
  });
});
