import { describe, expect, it } from 'vitest';
import { Problem } from '../../../scripts/connector/exit.ts';
import {
  blocked,
  done,
  type Found,
  left,
  open,
  runStep,
} from '../../../scripts/connector/setup/setup-step.ts';
import { nextTokens } from '../../../scripts/connector/storefront/set-up.ts';

/** A step whose looks find these in turn; returns how often it acted. */
async function run(looks: readonly Found[], result?: Found) {
  const rest = [...looks];
  let acts = 0;
  const lines: string[] = [];
  const terminal = {
    width: 80,
    line: (line = '') => void lines.push(line),
    style: (_: unknown, text: string) => text,
  };
  const step = {
    title: 'Deploy',
    look: async () => rest.shift() ?? expect.fail('looked too often'),
    act: async () => {
      acts += 1;
      return result;
    },
  };
  const leftover = await runStep(step, 3, terminal).catch((error: unknown) => error);
  return { leftover, acts, text: lines.join('\n') };
}

describe('a step of setup', () => {
  it('that is done is shown and not repeated', async () => {
    const { leftover, acts, text } = await run([done('it runs')]);
    expect({ leftover, acts }).toEqual({ leftover: undefined, acts: 0 });
    expect(text).toBe('3. Deploy\n   done: it runs');
  });

  it('that is open is done once, and looked at again', async () => {
    const { leftover, acts } = await run([open('missing'), done('there')]);
    expect({ leftover, acts }).toEqual({ leftover: undefined, acts: 1 });
  });

  it('that does not show afterwards stops the set-up', async () => {
    const { leftover } = await run([open('missing'), open('still missing')]);
    expect(leftover).toBeInstanceOf(Problem);
    expect((leftover as Problem).message).toContain('still missing');
  });

  it('that a person must finish is left, and the set-up goes on', async () => {
    const { leftover } = await run([open('not confirmed')], left('Confirm it.', 'In the e-mail.'));
    expect(leftover).toMatchObject({ what: 'Confirm it.', next: 'In the e-mail.' });
  });

  it('that cannot be done stops the set-up and says how it goes on', async () => {
    const { leftover, acts } = await run([blocked('No quota.', 'Ask for more.')]);
    expect(acts).toBe(0);
    expect((leftover as Problem).next).toContain('Ask for more.\nThen run the command again');
  });
});

let made = 0;
const newToken = () => {
  made += 1;
  return `token-${made}`;
};

function stored(change: 'keep' | 'rotate' | 'finish', before?: Parameters<typeof nextTokens>[0]) {
  const next = nextTokens(before, change, newToken);
  if (next.kind !== 'store') throw new Error(next.kind);
  return next;
}

describe('the token of point events', () => {
  it('is made once, for all topics', () => {
    const { tokens, fresh } = stored('keep');
    expect(tokens).toEqual({ current: fresh });
    expect(nextTokens(tokens, 'keep', newToken)).toEqual({ kind: 'keep' });
  });

  it('keeps the current one beside the new until the rotation is ended', () => {
    const { tokens: before, fresh: first } = stored('keep');
    const { tokens: rotated, fresh: second } = stored('rotate', before);
    expect(rotated).toEqual({ current: second, previous: first });
    expect(second).not.toBe(first);
    expect(stored('finish', rotated)).toEqual({
      kind: 'store',
      tokens: { current: second },
    });
  });

  it('is not rotated twice at once: one in use would end', () => {
    const rotated = stored('rotate', stored('keep').tokens).tokens;
    expect(nextTokens(rotated, 'rotate', newToken).kind).toBe('refused');
  });

  it('cannot be rotated before it is made, nor finished when nothing is under way', () => {
    expect(nextTokens(undefined, 'rotate', newToken).kind).toBe('refused');
    expect(nextTokens(undefined, 'finish', newToken).kind).toBe('refused');
    expect(nextTokens(stored('keep').tokens, 'finish', newToken).kind).toBe('refused');
  });
});
