import { describe, expect, it, vi } from 'vitest';
import {
  type Finding,
  fail,
  pass,
  unknown,
  warn,
} from '../../../scripts/connector/ground/checks/check.ts';
import { runStep } from '../../../scripts/connector/ground/checks/step.ts';
import type { Session } from '../../../scripts/connector/ground/session/session.ts';
import { Problem } from '../../../scripts/connector/ground/terminal/exit.ts';
import { nextTokens } from '../../../scripts/connector/set-up/shopify/storefront.ts';

/** A step whose looks find these in turn; returns how often it was fixed, and what was shown at its end. */
async function run(looks: readonly Finding[], result: readonly Finding[] = []) {
  const rest = [...looks];
  const fix = vi.fn(async () => result);
  const show = vi.fn();
  const look = async () => [rest.shift() ?? expect.fail('looked too often')];
  const session = { show, terminal: { note() {}, line() {} } } as unknown as Session;
  const left = await runStep({ title: 'Deploy', look, fix }, 3, session).catch((error) => error);
  const [{ title, blocks }] = show.mock.lastCall ?? expect.fail('nothing shown');
  expect(title).toBe('3. Deploy');
  return { left, fixes: fix.mock.calls.length, shown: blocks[0].findings };
}

describe('a step of setup', () => {
  it('that is done is shown and not repeated', async () => {
    const shown = [expect.objectContaining({ tone: 'ok', what: 'it runs' })];
    expect(await run([pass('it runs')])).toEqual({ left: [], fixes: 0, shown });
  });

  it('that is open is done once, and looked at again', async () => {
    const shown = [expect.objectContaining({ tone: 'ok', what: 'there' })];
    expect(await run([fail('missing'), pass('there')])).toEqual({ left: [], fixes: 1, shown });
  });

  it.each([fail('still missing'), unknown('still missing')])(
    'that does not show afterwards stops the set-up (%#)',
    async (after) => {
      const { left, shown } = await run([fail('missing'), after]);
      expect(left).toBeInstanceOf(Problem);
      expect(shown[0].what).toContain('still missing');
    },
  );

  it('that a person must finish is left, and the set-up goes on', async () => {
    const toConfirm = warn('not confirmed', 'In the e-mail.');
    const { left } = await run([fail('not there'), pass('there')], [toConfirm]);
    expect(left).toEqual([toConfirm]);
    expect(await run([toConfirm])).toMatchObject({ left: [toConfirm], fixes: 0 });
  });

  it('that cannot be done stops the set-up and says how it goes on', async () => {
    const refused = fail('No quota', 'Ask for more.');
    const { left, shown } = await run([fail('missing')], [refused]);
    expect(shown).toMatchObject([{ what: 'No quota', fix: 'Ask for more.' }]);
    expect((left as Problem).next).toContain('run the command again');
  });
});

let made = 0;
const newToken = () => {
  made += 1;
  return `token-${made}`;
};

const UNTIL = '2026-10-10T12:00:00.000Z';

function stored(
  change: Parameters<typeof nextTokens>[1],
  before?: Parameters<typeof nextTokens>[0],
) {
  return nextTokens(before, change, newToken, UNTIL) ?? expect.fail('unchanged');
}

describe('the token of point events', () => {
  it('is made once, for all topics', () => {
    const tokens = stored('keep');
    expect(tokens).toEqual({ current: expect.stringMatching(/^token-/) });
    expect(nextTokens(tokens, 'keep', newToken, UNTIL)).toBe(undefined);
  });

  it('keeps the current one beside the new until its end', () => {
    const { current: first } = stored('keep');
    const rotated = stored('rotate', { current: first });
    expect(rotated).toMatchObject({ previous: first, previousUntil: UNTIL });
    expect(rotated.current).not.toBe(first);
  });

  it('is not rotated twice at once: one in use would end', () => {
    const rotated = stored('rotate', stored('keep'));
    expect(() => stored('rotate', rotated)).toThrow('already running');
  });

  it('that has leaked ends at once, and one beside it, too', () => {
    const first = stored('keep');
    for (const before of [first, stored('rotate', first), undefined]) {
      const next = stored('leaked', before);
      expect(next).toEqual({ current: expect.stringMatching(/^token-/) });
      expect([before?.current, before?.previous]).not.toContain(next.current);
    }
  });

  it('cannot be rotated before it is made', () => {
    expect(() => stored('rotate')).toThrow('no token yet');
  });
});
