import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallAnswer } from '../../../../shared/loyalty/result.ts';
import { refusal, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

let connector: WebhookConnector;
let deadline: AbortController;
beforeEach(() => {
  deadline = new AbortController();
  connector = openWebhookConnector();
});

describe('a batch whose time is over', () => {
  it('returns before its time is over, with everything unfinished still on the queue', async () => {
    const hangs = vi.fn(() => new Promise<never>(() => {}));
    connector.loyalty.world.interfere = hangs;
    await connector.deliverOrders(1, 2, 3, 4, 5, 6);
    const work = connector.work('orders', { deadline: deadline.signal });
    // Side by side, and not one more after the time was over.
    await vi.waitFor(() => expect(hangs).toHaveBeenCalledTimes(4), { timeout: 20_000 });
    deadline.abort();
    expect(await work).toEqual({ received: 6, left: 6 });
    expect(hangs).toHaveBeenCalledTimes(4);
  });

  it('names every message whose delay is still being set when its time is over', async () => {
    const delays = Promise.withResolvers<void>();
    connector.parts.source = { delay: () => delays.promise, isCrowded: async () => false };
    connector.loyalty.world.interfere = ({ body }) => {
      const { OriginalId } = body as { OriginalId: string };
      return OriginalId === '1' ? UNREACHABLE : new Promise(() => {});
    };
    await connector.deliverOrders(1, 2);
    const work = connector.work('orders', { deadline: deadline.signal });
    await vi.waitFor(() => expect(connector.telemetry.total('retried')).toBe(1), {
      timeout: 20_000,
    });
    deadline.abort();
    setTimeout(delays.resolve, 20);
    expect(await work).toEqual({ received: 2, left: 2 });
  });

  it('parks nothing that it has handed back, even if the service refuses it afterwards', async () => {
    const late = Promise.withResolvers<CallAnswer>();
    const slow = vi.fn(() => late.promise);
    connector.loyalty.world.interfere = slow;
    await connector.deliverOrders(1);
    const work = connector.work('orders', { deadline: deadline.signal });
    await vi.waitFor(() => expect(slow).toHaveBeenCalledOnce(), { timeout: 20_000 });
    deadline.abort();
    expect(await work).toEqual({ received: 1, left: 1 });
    late.resolve(refusal(30));
    await vi.waitFor(() => {
      expect(connector.entry('order', '1')?.outcomes.at(-1)?.outcome).toBe('rejected');
    });
    expect(connector.deadLetters()).toEqual([]);
  });
});
