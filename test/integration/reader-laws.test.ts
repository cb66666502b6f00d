import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOrderWebhook } from '../../shared/shopify/webhooks/read-event.ts';
import { parseJson } from '../../shared/shopify/webhooks/topics.ts';
import { buildOrder } from '../fixtures/order-payload.ts';
import { anyOrder, simpleOrder } from '../fixtures/order-spec.ts';

/** Puts a value somewhere into a payload, at any depth. */
function spoil(payload: unknown, steps: readonly number[], value: unknown): unknown {
  const [step, ...rest] = steps;
  if (typeof payload !== 'object' || payload === null || step === undefined) return value;
  const keys = Object.keys(payload);
  if (keys.length === 0) return value;
  const key = keys[step % keys.length] as keyof typeof payload;
  const spoilt = spoil(payload[key], rest, value);
  return Array.isArray(payload) ? payload.with(Number(key), spoilt) : { ...payload, [key]: spoilt };
}

const MARK = 'Robin-Q-Sample';
const rubbish = fc.oneof(
  fc.constantFrom<unknown>(MARK, [MARK], { [MARK]: MARK }, null, -1, 1.5, true, '', '1e999', {}),
  fc.jsonValue(),
);
const anyPayload = fc
  .tuple(anyOrder, fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }), rubbish)
  .map(([spec, steps, value]) => spoil(buildOrder(spec).payload, steps, value));

describe('every reader', () => {
  it('names where a fault is, and never what stands there', () => {
    fc.assert(
      fc.property(anyPayload, (payload) => {
        const result = readOrderWebhook(payload);
        if (result.kind === 'read') return;
        for (const { path, problem } of result.faults) {
          expect(path).toMatch(/^(?:\$|[a-z_]+)(?:\.[a-z_]+|\[\d+\])*$/);
          expect(problem).toMatch(/^(?:is|has) [a-z_, ]+$/);
          expect(path + problem).not.toContain(MARK);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('ignores fields it does not know, a __proto__ of its own included', () => {
    const text = JSON.stringify(buildOrder(simpleOrder).payload);
    const attack = `{"__proto__":{"test":true,"cancelled_at":"2026-01-01T00:00:00Z"},"new":[1],${text.slice(1)}`;
    const parsed = parseJson(attack);
    expect(parsed.kind === 'parsed' && readOrderWebhook(parsed.value)).toEqual(
      readOrderWebhook(JSON.parse(text)),
    );
  });

  it('reads null and absent alike', () => {
    const { payload } = buildOrder(simpleOrder);
    const nulls = Object.keys(payload).filter((key) => payload[key] === null);
    const without = Object.fromEntries(
      Object.entries(payload).filter(([key]) => !nulls.includes(key)),
    );
    expect(nulls.length).toBeGreaterThan(3);
    expect(readOrderWebhook(without)).toEqual(readOrderWebhook(payload));
  });

  it.each([
    ['every one of a hundred faults', 100, 100],
    ['the first of fifty thousand', 50_000, 1],
  ])('reports %s', (_, lines, told) => {
    const line_items = Array.from({ length: lines }, () => ({ id: 1, quantity: 1, price: 1 }));
    const result = readOrderWebhook(buildOrder(simpleOrder, { line_items }).payload);
    expect(result.kind === 'unreadable' && result.faults.length).toBe(told);
  });

  it('reads amounts and quantities as numbers or as texts alike', () => {
    const line = { id: 9000, quantity: 2, current_quantity: 2, price: 25 };
    const asText = { id: '9000', quantity: '2', current_quantity: '2', price: '25.00' };
    const read = (item: object) =>
      readOrderWebhook(buildOrder(simpleOrder, { line_items: [item] }).payload);
    expect(read(asText)).toEqual(read(line));
    expect(read(line)).toMatchObject({ order: { lines: [{ paid: '50', kept: 2 }] } });
  });
});
