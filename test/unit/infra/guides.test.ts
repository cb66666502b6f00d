import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RETENTION, VISIBILITY } from '../../../infra/storage.ts';
import {
  costTables,
  describeStack,
  floodCosts,
  monthlyCost,
  putTables,
  sum,
} from '../../../local/harness/cost.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import {
  ALL_ORDERS,
  wantedScopes,
} from '../../../scripts/connector/set-up/shopify/store-checks.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { HEALED_PERCENT, OLDEST_MESSAGE_MINUTES } from '../../../shared/config/metrics.ts';
import {
  REFUSED_PAUSE_MS,
  REFUSED_SECRET_MAX_AGE_MS,
  SECRET_MAX_AGE_MS,
} from '../../../shared/services/shop-secrets.ts';
import { limitsTables } from '../../support/limits-tables.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';
import { alarmsOf } from '../../support/watched-metrics.ts';

const runbook = readFileSync('docs/runbook.md', 'utf8');
const [, chapter = ''] = runbook.split('\n## Alarms\n');
const sections = new Map(
  chapter
    .split('\n### ')
    .slice(1)
    .map((section) => [section.split('\n', 1)[0] ?? '', section]),
);

/** Every alarm that a setting can deploy. */
const alarms = [
  synthesizeStack({ storefront: {} }),
  synthesizeStack({ deployment: { monitoring: 'basic' } }),
]
  .flatMap(alarmsOf)
  .map(({ name, description }) => {
    const [, command = '', heading = ''] =
      /\nFirst: npx loyalty-connector (.+) --stack loyalty-connector-prod --region \{AWS::Region\}\nThen: docs\/runbook\.md, "(.+)"$/.exec(
        description,
      ) ?? [];
    return { name, command, heading };
  });

describe('alarms and runbook', () => {
  it('have the same headings, neither one more than the other', () => {
    const named = new Set(alarms.map(({ heading }) => heading));
    expect([...sections.keys()].toSorted()).toEqual([...named].toSorted());
  });

  it.each(alarms)('$name names a command that stands in its section', ({ command, heading }) => {
    expect(command).not.toBe('');
    expect(sections.get(heading)).toContain(`npx loyalty-connector ${command}`);
  });

  it('say in every section what it means, what to look at and what to do', () => {
    for (const [heading, section] of sections) {
      const paragraphs = section.trim().split('\n\n').slice(1);
      expect(paragraphs[0], heading).toMatch(/^[^*\-`]/);
      const parts = [...section.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, part]) => part);
      expect(parts.join(' '), heading).toMatch(/^Look at Do:?$/);
    }
  });
});

/** Every `npx loyalty-connector …` of both pages, word by word. */
const pages = `${runbook}${readFileSync('docs/recover.md', 'utf8')}`;
const commands = [...new Set(pages.match(/npx loyalty-connector [a-z][^`\n]*/g))].map((command) => [
  command,
]);

describe('the runbook', () => {
  it.each(commands)('%s is a command that exists, with options that it takes', (text) => {
    const words = (text.match(/"[^"]*"|\S+/g) ?? []).slice(2);
    let command = createProgram();
    const given = [...words];
    for (;;) {
      const child = command.commands.find((one) => one.name() === given[0]);
      if (!child) break;
      command = child;
      given.shift();
    }
    const isGroup = command.commands.length > 0 && command.options.length === 0;
    expect(isGroup, 'a command is missing').toBe(false);
    const { operands, unknown } = command.parseOptions(given);
    expect(unknown).toEqual([]);
    const required = command.registeredArguments.filter((argument) => argument.required);
    expect(operands.length).toBeGreaterThanOrEqual(required.length);
    expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length);
  });

  it('needs no command line but ours', () => {
    const others = [...runbook.matchAll(/^ *(?:\$ )?(?:aws|sam|curl) .*$|`aws [^`]*`/gm)];
    expect(others.map(([text]) => text)).toEqual([]);
  });

  it('quotes log lines as the code writes them', () => {
    const code = ['shared', 'functions'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(join(folder, name), 'utf8')),
    );
    const quoted = [...runbook.matchAll(/`([a-z]+(?:\s+[a-z]+){3,})`/g)].map(([, line = '']) =>
      line.replaceAll(/\s+/g, ' '),
    );
    expect(quoted.length).toBeGreaterThan(5);
    expect(quoted.filter((line) => !code.some((text) => text.includes(`'${line}`)))).toEqual([]);
  });

  it('states the times and shares that the code has', () => {
    const said = runbook.replaceAll(/\s+/g, ' ');
    const { retryWindowDays } = defineConnector({
      shops: [{ domain: 'example-store.myshopify.com' }],
      loyalty: { address: 'https://loyalty.example.com' },
    });
    expect(said).toContain(`tried for ${retryWindowDays} days`);
    expect(said).toContain(`older than ${retryWindowDays} days is parked again`);
    expect(said).toContain(`kept for ${RETENTION.toDays()} days`);
    expect(said).toContain(`come back after ${VISIBILITY.toMinutes()} minutes`);
    expect(said).toContain(`longer than ${OLDEST_MESSAGE_MINUTES} minutes`);
    const used = SECRET_MAX_AGE_MS / 60_000;
    expect(REFUSED_SECRET_MAX_AGE_MS).toBe(60_000);
    expect(said).toContain('signed with a new secret are accepted within a minute');
    expect(said).toContain(`used within ${REFUSED_PAUSE_MS / 1_000} seconds where the older ones`);
    expect(said).toContain(`otherwise within ${used} minutes`);
    expect(said).toContain(`accepted for ${used} more minutes`);
    expect(said).toContain(`more than ${HEALED_PERCENT} % of what it`);
  });
});

const guide = readFileSync('docs/deploy.md', 'utf8');

describe('docs/deploy.md', () => {
  it('names every scope that doctor asks for, and no other', () => {
    const rules = {
      enrich: { locationNames: true, staffNames: true },
      customers: 'from-sign-up',
      lostDisputes: 'take-back',
      couponKinds: ['percentage'],
    } as const;
    const { storefront } = defineConnector({
      shops: [{ domain: 'example-store.myshopify.com' }],
      loyalty: { address: 'https://loyalty.example.com' },
      storefront: { cashback: 'store-credit' },
    });
    const wanted = wantedScopes({ storefront }, { rules }).map(({ scope }) => scope);
    const asked = [...wanted, ALL_ORDERS];
    const named = [...guide.matchAll(/^\| `((?:read|write)_\w+)` \|/gm)].map(([, scope]) => scope);
    expect(named.toSorted()).toEqual(asked.toSorted());
  });
});

const template = synthesizeStack().toJSON();
const basic = synthesizeStack({ deployment: { monitoring: 'basic' } }).toJSON();
const storefront = synthesizeStack({ storefront: {} }).toJSON();
const days = { orderRetentionDays: 400 };

describe('docs/cost.md', () => {
  it('shows what the stack costs as it is described today', () => {
    const document = readFileSync('docs/cost.md', 'utf8');
    const templates = { full: template, basic, storefront };
    const tables = costTables(templates as never, days);
    expect(putTables(document, tables)).toBe(document);
  });
});

describe('docs/limits.md', () => {
  it('shows what follows from the constants of the code', () => {
    const document = readFileSync('docs/limits.md', 'utf8');
    expect(putTables(document, limitsTables())).toBe(document);
  });
});

describe('the cost of a month', () => {
  it('has a fixed part of at most $8 with every alarm, and of less than $3 in basic monitoring', () => {
    const fixedOf = (one: unknown) => sum(monthlyCost(describeStack(one as never), 0, days).fixed);
    expect(fixedOf(template)).toBeLessThanOrEqual(8);
    expect(fixedOf(basic)).toBeLessThan(3);
  });

  it('has a bound in a flood of each address, by what limits it', () => {
    const costs = floodCosts(storefront as never);
    const addresses = new Set(costs.map(({ what }) => what.replace(/,.*/, '')));
    expect([...addresses]).toEqual(['webhooks', 'point events', 'storefront']);
    for (const { what, dollars } of costs) {
      const [few = 0, reserved = 0] = dollars;
      expect([what, reserved < 180]).toEqual([what, true]);
      expect(reserved).toBeCloseTo(5 * few);
    }
    const [, byPages = 0] =
      costs.find(({ what }) => what.includes("store's own pages"))?.dollars ?? [];
    expect(byPages).toBeGreaterThan(0);
    expect(byPages).toBeLessThan(90);
  });

  it('counts every metric of an alarm on an expression', () => {
    const metric = { MetricStat: {} };
    const alarms = {
      One: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
      Two: {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: { Metrics: [{ Expression: 'a + b' }, metric, metric] },
      },
    };
    const { Resources } = template as { Resources: object };
    const stack = describeStack(template as never);
    const more = describeStack({ Resources: { ...Resources, ...alarms } as never });
    expect(more.alarmMetrics - stack.alarmMetrics).toBe(3);
  });

  it('has a line for the HTTP API where there is one', () => {
    const byApi = synthesizeStack({ deployment: { endpoint: { kind: 'http-api' } } }).toJSON();
    const { perWebhook } = monthlyCost(describeStack(byApi as never), 1e6, days);
    expect(perWebhook.find(({ what }) => what === 'HTTP API')?.dollars).toBeCloseTo(1);
  });
});
