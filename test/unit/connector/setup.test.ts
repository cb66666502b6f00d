import { describe, expect, it } from 'vitest';
import {
  type Finding,
  fail,
  pass,
  unknown,
  warn,
} from '../../../scripts/connector/checks/check.ts';
import { line } from '../../../scripts/connector/document/line.ts';
import { runStep } from '../../../scripts/connector/setup/step.ts';
import { nextTokens } from '../../../scripts/connector/storefront/set-up.ts';
import { Problem } from '../../../scripts/connector/terminal/exit.ts';
import type { Terminal } from '../../../scripts/connector/terminal/terminal.ts';

/** A step whose looks find these in turn; returns how often it was fixed. */
async function run(looks: readonly Finding[], result: readonly Finding[] = []) {
  const rest = [...looks];
  let fixes = 0;
  const lines: string[] = [];
  const terminal = {
    width: 80,
    line: (line = '') => void lines.push(line),
    style: (_: unknown, text: string) => text,
  } as unknown as Terminal;
  const step = {
    title: 'Deploy',
    look: async () => [rest.shift() ?? expect.fail('looked too often')],
    fix: async () => {
      fixes += 1;
      return result;
    },
  };
  const place = { where: 'aws', stack: 'S', region: 'eu-west-1' } as const;
  const left = await runStep(step, 3, { terminal, place }).catch((error: unknown) => error);
  return { left, fixes, text: lines.join('\n') };
}

describe('a step of setup', () => {
  it('that is done is shown and not repeated', async () => {
    const { left, fixes, text } = await run([pass('it runs')]);
    expect({ left, fixes }).toEqual({ left: [], fixes: 0 });
    expect(text).toMatch(/^3\. Deploy\n\npass +it runs\n$/);
  });

  it('that is open is done once, and looked at again', async () => {
    const { left, fixes, text } = await run([fail('missing'), pass('there')]);
    expect({ left, fixes }).toEqual({ left: [], fixes: 1 });
    expect(text).toMatch(/info +missing.*pass +there/s);
  });

  it.each([fail('still missing'), unknown('still missing')])(
    'that does not show afterwards stops the set-up (%#)',
    async (after) => {
      const { left, text } = await run([fail('missing'), after]);
      expect(left).toBeInstanceOf(Problem);
      expect(text).toContain('still missing');
    },
  );

  it('that a person must finish is left, and the set-up goes on', async () => {
    const toConfirm = warn('not confirmed', 'In the e-mail.');
    const { left } = await run([fail('not there'), pass('there')], [toConfirm]);
    expect(left).toEqual([toConfirm]);
    expect(await run([toConfirm])).toMatchObject({ left: [toConfirm], fixes: 0 });
  });

  it('that cannot be done stops the set-up and says how it goes on, with the place of the stack', async () => {
    const refused = fail('No quota', 'Ask for more.', { label: 'Look', line: line('doctor') });
    const { left, text } = await run([fail('missing')], [refused]);
    expect(text).toContain('Ask for more.');
    expect(text).toContain('npx loyalty-connector doctor --stack S --region eu-west-1');
    expect((left as Problem).next).toContain('run the command again');
  });
});

let made = 0;
const newToken = () => {
  made += 1;
  return `token-${made}`;
};

function stored(change: 'keep' | 'rotate' | 'finish', before?: Parameters<typeof nextTokens>[0]) {
  return nextTokens(before, change, newToken) ?? expect.fail('unchanged');
}

describe('the token of point events', () => {
  it('is made once, for all topics', () => {
    const tokens = stored('keep');
    expect(tokens).toEqual({ current: expect.stringMatching(/^token-/) });
    expect(nextTokens(tokens, 'keep', newToken)).toBe(undefined);
  });

  it('keeps the current one beside the new until the rotation is ended', () => {
    const { current: first } = stored('keep');
    const rotated = stored('rotate', { current: first });
    expect(rotated.previous).toBe(first);
    expect(rotated.current).not.toBe(first);
    expect(stored('finish', rotated)).toEqual({ current: rotated.current });
  });

  it('is not rotated twice at once: one in use would end', () => {
    const rotated = stored('rotate', stored('keep'));
    expect(() => stored('rotate', rotated)).toThrow('already running');
  });

  it('cannot be rotated before it is made, nor finished when nothing is under way', () => {
    expect(() => stored('rotate')).toThrow('no token yet');
    expect(() => stored('finish')).toThrow('no token yet');
    expect(() => stored('finish', stored('keep'))).toThrow('nothing to finish');
  });
});
