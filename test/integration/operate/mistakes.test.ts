import { expect, it } from 'vitest';
import { useOperatedConnector } from '../../support/operated-connector.ts';

const operated = useOperatedConnector();

it.each([
  ['backfill customers', 'customers'],
  ['backfill orders', '--since'],
  ['backfill orders --since yesterday', 'yesterday'],
  ['backfill orders --since 2d --rate 0', '--rate'],
  ['backfill orders --since 2d --shop other.myshopify.com', 'the settings have no shop'],
  ['compare products', 'compare orders --since 24h. For one order or product: trace order ID'],
  ['compare order 1', 'trace order ID'],
  ['pause --for soon', '--for'],
  ['pause --for 0m', '--for'],
  ['pause --for 30d', 'pause for at most 7 days'],
  ['reconcile --shop nowhere', 'the settings have no shop "nowhere"'],
  ['backfill orders', '--since <when> is missing: '],
  ['retry-now now', 'too many arguments: now (takes no arguments)'],
  ['reconcile statsu', 'Did you mean status?'],
  ['status --watchh', 'Did you mean --watch?'],
  ['audit --day 2026-02-30', "unknown option '--day'"],
  ['audit', '--since <when> is missing: accepted since'],
  ['resend order', "<ids> is missing: the store's id"],
  ['resend order 1 --since 1d', "unknown option '--since'"],
  ['resend shop 1', 'there is no kind "shop": order, product, coupon or customer.'],
  ['secrets set orders', 'give the purpose: webhook, loyalty, store, not "orders"'],
  ['secrets set loyalty --rotate', 'are for the webhook secret'],
  ['secrets set webhook --rotate --leaked', 'either --rotate or --leaked'],
  ['secrets set store --leaked', 'other secrets are replaced at once'],
  ['secrets set webhook --value x', "unknown option '--value'"],
  ['secrets set webhook a-secret', 'too many arguments'],
  ['trace order', 'give what to look for: trace order ID.'],
  [
    'trace oder 1',
    'there is no kind "oder": order, product, coupon or customer. Did you mean order?',
  ],
  ['trace order 1 --shop nowhere', 'the settings have no shop "nowhere"'],
])(
  '"%s" is answered with one line that says what is wrong, and ends with 2',
  async (line, words) => {
    const { code, stdout, stderr } = await operated.run(line);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  },
);
