import { describe, expect, it } from 'vitest';
import {
  appConfiguration,
  wantedSubscriptions,
} from '../../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { complianceTopics } from '../../../../shared/shopify/webhooks/topics.ts';

const uri = 'https://hooks.example.com/shop';

/** The part of TOML that is used: tables of texts and lists of texts. */
function readTables(text: string): Record<string, string | string[]>[] {
  return text
    .split(/^\[\[?webhooks(?:\.subscriptions)?\]?\]$/m)
    .slice(1)
    .map((table) =>
      Object.fromEntries(
        [...table.matchAll(/^(\w+) = ("[^"]*"|\[[^\]]*\])$/gm)].map(([, name = '', value = '']) => [
          name,
          JSON.parse(value.replace(/,\s*\]$/, ']')),
        ]),
      ),
    );
}

describe('the connector’s part of shopify.app.toml', () => {
  it('declares every wanted topic once, with its fields, and the compliance topics', () => {
    const [head, ...tables] = readTables(appConfiguration(uri, 'app-configuration'));
    expect(head).toEqual({ api_version: '2026-10' });
    const declared = tables.flatMap(({ topics = [], include_fields = [], uri: to }) =>
      [topics].flat().map((topic) => ({ topic, uri: to, includeFields: include_fields })),
    );
    expect(new Set(declared)).toEqual(new Set(wantedSubscriptions(uri)));
    expect(declared).toHaveLength(wantedSubscriptions(uri).length);
    const compliance = tables.filter((table) => 'compliance_topics' in table);
    expect(compliance).toEqual([{ compliance_topics: [...complianceTopics], uri }]);
  });

  it('declares no topic of customers where the settings send them with their orders', () => {
    const withOrders = { customers: 'with-orders', lostDisputes: 'ignore' } as const;
    const topics = wantedSubscriptions(uri, withOrders).map(({ topic }) => topic);
    expect(topics.filter((topic) => topic.startsWith('customers/'))).toEqual([]);
    expect(topics).toHaveLength(wantedSubscriptions(uri).length - 4);
    expect(appConfiguration(uri, 'app-configuration', withOrders)).not.toContain('customers/merge');
  });

  it('declares the topics of disputes only where lost ones count', () => {
    const counted = { customers: 'from-sign-up', lostDisputes: 'take-back' } as const;
    const topicsOf = (...given: Parameters<typeof wantedSubscriptions>) =>
      wantedSubscriptions(...given)
        .filter(({ topic }) => topic.startsWith('disputes/'))
        .map(({ topic, includeFields }) => ({ topic, includeFields }));
    expect(topicsOf(uri)).toEqual([]);
    expect(topicsOf(uri, counted)).toEqual([
      { topic: 'disputes/create', includeFields: ['order_id'] },
      { topic: 'disputes/update', includeFields: ['order_id'] },
    ]);
  });

  it('declares only the compliance topics where the Admin API creates the others', () => {
    const [, ...tables] = readTables(appConfiguration(uri, 'admin-api'));
    expect(tables).toEqual([{ compliance_topics: [...complianceTopics], uri }]);
  });
});
