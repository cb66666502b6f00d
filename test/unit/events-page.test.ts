import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const page = readFileSync('docs/events.md', 'utf8');
const { definitions } = JSON.parse(readFileSync('docs/events.schema.json', 'utf8'));
const TYPES = Object.keys(definitions).filter((name) => /^[A-Z]/.test(name));

type Pattern = { readonly [field: string]: Pattern | readonly unknown[] };
interface Rule {
  readonly EventPattern: Pattern;
  readonly Targets: readonly {
    readonly InputTransformer?: {
      readonly InputPathsMap: Readonly<Record<string, string>>;
      readonly InputTemplate: string;
    };
  }[];
}

const [, written = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
// Tags such as !Ref stay as the text behind them.
const { Resources } = parse(written, { logLevel: 'silent' });
const rules = Object.entries<{ readonly Type: string; readonly Properties: Rule }>(Resources)
  .filter(([, { Type }]) => Type === 'AWS::Events::Rule')
  .map(([name, { Properties }]) => [name, Properties] as const);

/** As "Amazon EventBridge event patterns" describes it. */
function matches(pattern: Pattern, event: object): boolean {
  return Object.entries(pattern).every(([field, wanted]) => {
    const value: unknown = Reflect.get(event, field);
    if (!Array.isArray(wanted)) return matches(wanted as Pattern, Object(value));
    return wanted.some((one) =>
      typeof one === 'object' ? value !== one['anything-but'] : value === one,
    );
  });
}

const event = (type: string, again = false) => ({
  source: 'loyalty-connector',
  'detail-type': type,
  detail: { shop: 'example-store.myshopify.com', stack: 'prod', by: 'service', again },
});

describe('docs/events.md', () => {
  it('names every event of the schema, and no other', () => {
    const [table = ''] = /\| detail-type.*?\n\n/s.exec(page) ?? [];
    const named = [...table.matchAll(/`([A-Z][A-Za-z ]+)`/g)].map(([, type]) => type);
    expect(named.toSorted()).toEqual(TYPES.toSorted());
  });

  it.each([
    ['ToQueue', TYPES],
    ['ToFunction', ['Dead Letters Added']],
    ['ToChat', TYPES.filter((type) => type !== 'Reconciled')],
    ['ToPager', ['Shop Paused']],
    ['ToPagerOver', ['Shop Resumed']],
  ])('has a rule %s that takes the events that it is for', (name, types) => {
    const [, rule] = rules.find(([one]) => one === name) ?? [];
    const taken = TYPES.filter((type) => matches(rule?.EventPattern ?? {}, event(type)));
    expect(taken.toSorted()).toEqual([...types].toSorted());
    expect(matches(rule?.EventPattern ?? {}, { ...event('Shop Paused'), source: 'aws.ec2' })).toBe(
      false,
    );
  });

  it('rings no pager again for what it has rung for', () => {
    const pager = rules.filter(([name]) => name === 'ToPager' || name === 'ToFunction');
    expect(pager).toHaveLength(2);
    for (const [, { EventPattern }] of pager) {
      for (const type of TYPES) expect(matches(EventPattern, event(type, true))).toBe(false);
    }
  });

  it('sends JSON, from fields that the event has', () => {
    const sent = rules.flatMap(([name, { Targets }]) =>
      Targets.flatMap(({ InputTransformer: of }) => {
        if (!of) return [];
        const values = Object.entries(of.InputPathsMap).map(([key, path]) => {
          const found = path
            .replace('$.', '')
            .split('.')
            .reduce<unknown>((at, field) => Object(at)[field], event('Shop Paused'));
          expect(found, `${name}: ${path}`).toBeTypeOf('string');
          return [key, String(found)] as const;
        });
        const filled = values.reduce(
          (text, [key, value]) => text.replaceAll(`<${key}>`, value),
          of.InputTemplate,
        );
        expect(filled).not.toMatch(/<\w+>/);
        return [[name, JSON.parse(filled)] as const];
      }),
    );
    const { ToChat, ToPager, ToPagerOver } = Object.fromEntries(sent);
    expect(ToChat.text).toBe('Shop Paused: example-store.myshopify.com (prod)');
    expect(ToPager.dedup_key).toBe(ToPagerOver.dedup_key);
  });
});
