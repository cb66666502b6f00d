import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RETENTION, VISIBILITY } from '../../../infra/timing.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
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

const alarms = alarmsOf(
  synthesizeStack({
    alarms: { orderSilence: { hours: 4, opens: 9, closes: 21, timeZone: 'Europe/Lisbon' } },
    storefront: {},
  }),
).map(({ name, description }) => {
  const [, command = '', heading = ''] =
    /\nFirst: npx loyalty-connector (.+) --stack loyalty-connector-prod --region \{AWS::Region\}\nThen: docs\/runbook\.md, "(.+)"$/.exec(
      description,
    ) ?? [];
  return { name, description, command, heading };
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
      const parts = [...section.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, part]) => part);
      expect(parts, heading).toEqual(['What it means.', 'What to look at.', 'What to do.']);
    }
  });
});

/** Every `npx loyalty-connector …` of the text, word by word. */
const commands = [...new Set(runbook.match(/npx loyalty-connector [a-z][^`\n]*/g))].map(
  (command) => [command],
);

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
    expect(
      command.commands.map((one) => one.name()),
      'a command is missing',
    ).toEqual([]);
    const { operands, unknown } = command.parseOptions(given);
    expect(unknown).toEqual([]);
    const required = command.registeredArguments.filter((argument) => argument.required);
    expect(operands.length).toBeGreaterThanOrEqual(required.length);
    expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length);
  });

  it('has a target for each of its links', () => {
    const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    const targets = [...runbook.matchAll(/\]\(#(.+?)\)/g)].map(([, target]) => target);
    expect(targets.filter((target) => !headings.includes(target ?? ''))).toEqual([]);
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
    const { retryWindowDays, alarms: defaults } = defineConnector({
      shops: [{ domain: 'example-store.myshopify.com' }],
      loyalty: { address: 'https://loyalty.example.com' },
    });
    expect(runbook).toContain(`tried for ${retryWindowDays} days`);
    expect(runbook).toContain(`older than ${retryWindowDays} days is parked again`);
    expect(runbook).toContain(`kept for ${RETENTION.toDays()} days`);
    expect(runbook).toContain(`come back after ${VISIBILITY.toMinutes()} minutes`);
    expect(runbook).toMatch(
      new RegExp(`oldestMessageMinutes\` \\(${defaults.oldestMessageMinutes}\\s+unless set`),
    );
    expect(runbook).toContain(`healedPercent\` (${defaults.healedPercent} unless set)`);
  });
});
