import { describe, expect, it } from 'vitest';
import { nextTokens } from '../../../scripts/connector/storefront/set-up.ts';

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
