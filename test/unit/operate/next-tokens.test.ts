import { describe, expect, it } from 'vitest';
import { nextTokens } from '../../../scripts/connector/storefront/point-tokens.ts';
import { pointTopics } from '../../../shared/loyalty/point-topics.ts';

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

describe('the tokens of point events', () => {
  it('are made once, a different one for each topic', () => {
    const { tokens, fresh } = stored('keep');
    expect(fresh).toBe(true);
    expect(new Set(pointTopics.map((topic) => tokens[topic].current)).size).toBe(3);
    expect(nextTokens(tokens, 'keep', newToken)).toEqual({ kind: 'keep' });
  });

  it('keep the current ones beside the new until the rotation is ended', () => {
    const before = stored('keep').tokens;
    const rotated = stored('rotate', before).tokens;
    for (const topic of pointTopics) {
      expect(rotated[topic].previous).toBe(before[topic].current);
      expect(rotated[topic].current).not.toBe(before[topic].current);
    }
    const finished = stored('finish', rotated);
    expect(finished.fresh).toBe(false);
    for (const topic of pointTopics) {
      expect(finished.tokens[topic]).toEqual({ current: rotated[topic].current });
    }
  });

  it('are not rotated twice at once: addresses in use would die', () => {
    const rotated = stored('rotate', stored('keep').tokens).tokens;
    expect(nextTokens(rotated, 'rotate', newToken).kind).toBe('refused');
  });

  it('cannot be rotated before they are made, nor finished when nothing is under way', () => {
    expect(nextTokens(undefined, 'rotate', newToken).kind).toBe('refused');
    expect(nextTokens(undefined, 'finish', newToken).kind).toBe('refused');
    expect(nextTokens(stored('keep').tokens, 'finish', newToken).kind).toBe('refused');
  });
});
