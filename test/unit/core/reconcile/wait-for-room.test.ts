import { describe, expect, it } from 'vitest';
import { waitForRoom } from '../../../../shared/core/reconcile/wait-for-room.ts';

async function wait(depths: readonly { ready: number; hidden: number }[], isOver = false) {
  let looked = 0;
  let pauses = 0;
  const hasRoom = await waitForRoom('order', {
    depth: {
      async of() {
        looked += 1;
        return depths[Math.min(looked, depths.length) - 1] ?? { ready: 0, hidden: 0 };
      },
    },
    pause: async () => {
      pauses += 1;
    },
    deadline: isOver ? AbortSignal.abort() : new AbortController().signal,
  });
  return { hasRoom, pauses };
}

describe('room in a queue', () => {
  it('is there while the workers need some seconds for what waits', async () => {
    expect(await wait([{ ready: 200, hidden: 800 }])).toEqual({ hasRoom: true, pauses: 0 });
  });

  it('is waited for while live events would have to queue', async () => {
    const full = { ready: 201, hidden: 0 };
    expect(await wait([full, full, { ready: 0, hidden: 9 }])).toEqual({ hasRoom: true, pauses: 2 });
  });

  it('is not there while very much waits for another try, and the waiting ends', async () => {
    const { hasRoom, pauses } = await wait([{ ready: 0, hidden: 1_001 }]);
    expect(hasRoom).toBe(false);
    expect(pauses).toBeGreaterThan(5);
  });

  it('is not waited for when the time is over', async () => {
    expect(await wait([{ ready: 201, hidden: 0 }], true)).toEqual({ hasRoom: false, pauses: 0 });
  });
});
