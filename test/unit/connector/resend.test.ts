import { expect, it } from 'vitest';
import { send } from '../../../scripts/connector/resend/resend-orders.ts';
import type { BulkQueue } from '../../../shared/core/events/event.ts';

type Given = Parameters<typeof send>;

const session = {
  interruption: () => new AbortController().signal,
  terminal: { progress: () => ({ report: () => {}, end: () => {} }) },
} as unknown as Given[0];

function open(sendAll: BulkQueue['sendAll']): Given[1] {
  const depth = { of: async () => ({ ready: 0, hidden: 0 }) };
  const shop = { domain: 'example-store.myshopify.com' };
  return { shop, queue: { sendAll }, depth } as unknown as Given[1];
}

const found = ['1', '2'].map((id) => ({ id, version: 1, wantedKey: 'k', before: 2, after: 1 }));

const pace = { rate: 10, onSent: () => {} };

it('resend counts what the queue has taken', async () => {
  const taking = open(async () => []);
  expect(await send(session, taking, found, pace)).toBe(2);
});

it('resend says so if the queue refuses an order', async () => {
  const refusing = open(async ([event]) => (event ? [{ event, code: 'InternalError' }] : []));
  await expect(send(session, refusing, found, pace)).rejects.toThrow(
    'SQS did not take 1 of 2 messages (InternalError).',
  );
});
