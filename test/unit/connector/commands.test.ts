import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { showSandbox } from '../../../local/stack/demo/shown-store.ts';
import { escapeControls, greet, greetNew } from '../../../local/stack/run-stack.ts';
import type { RunningStack } from '../../../local/stack/running-stack.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { argumentsOf } from '../../../scripts/connector/ground/session/audit-records.ts';
import { COMMAND_KINDS } from '../../../scripts/connector/ground/session/command-kinds.ts';
import type { Deployment } from '../../../scripts/connector/ground/session/deployment.ts';
import { explainAwsError } from '../../../scripts/connector/ground/session/explain-aws-error.ts';
import { pathOf } from '../../../scripts/connector/ground/session/run-action.ts';
import { carryOut } from '../../../scripts/connector/ground/session/session.ts';
import { AwsUnanswered } from '../../../shared/aws/aws-client.ts';
import { SECRET_MAX_AGE_MS } from '../../../shared/services/shop-secrets.ts';
import { COMMAND_LINES } from '../../support/command-lines.ts';

function allOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** The words of each example, without what the shell takes and without the remark beside it. */
function examplesIn(help: string): readonly (readonly string[])[] {
  const lines = help.replaceAll(/\\\n\s*/g, '').matchAll(/^ {2}npx loyalty-connector (.+)$/gm);
  return [...lines].map(([, line = '']) => {
    const [said = ''] = line.split(/ {2,}| [|<>]/, 1);
    return (said.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  });
}

/** The command that the real program runs for these words; throws for a mistake in them. */
function commandFor(words: readonly string[]): string {
  const program = createProgram();
  let found = '';
  for (const command of allOf(program)) {
    command.configureOutput({ writeErr: () => {} });
    if (command.commands.length > 0 && command.name() !== 'reconcile') continue;
    command.action(() => {
      found = pathOf(command);
    });
  }
  program.parse(words, { from: 'user' });
  return found;
}

const helps = allOf(createProgram()).map((command) => ({
  path: pathOf(command),
  help: helpOf(command),
}));

describe('the help', () => {
  it('agrees with the runbook and the receiver on what counts as refused, and how soon a secret is used', () => {
    const of = (path: string) => helps.find((one) => one.path === path)?.help;
    const runbook = readFileSync('docs/runbook.md', 'utf8').replaceAll(/\s+/g, ' ');
    // test/unit/shopify/receive-webhook.test.ts holds the receiver to it.
    expect(of('doctor')).toContain('which is refused and not counted');
    expect(runbook).toContain('the webhooks that `doctor` sends are not counted');
    const minutes = SECRET_MAX_AGE_MS / 60_000;
    expect(of('secrets set')).toContain(`within ${minutes} minutes only the new one`);
    expect(runbook).toContain(
      `\`--leaked\` replaced is accepted for ${minutes} more minutes at most`,
    );
  });

  it.each(helps)('of "$path" has an example that the program accepts', ({ path, help }) => {
    const shown = examplesIn(help).map(commandFor);
    expect(shown.filter((one) => `${one} `.startsWith(path && `${path} `))).not.toEqual([]);
    expect(shown).not.toContain('');
  });
});

it.each([['one shop', 1] as const, ['several shops', 2] as const])(
  'npm start with %s prints only commands that the program accepts',
  async (_, many) => {
    const shop = {
      ...{
        shop: { domain: 'example-store.myshopify.com', platform: 'shopify' },
        webhookSecret: 's',
      },
      store: {
        credentials: {},
        rows: { orders: new Map([[7, { id: '5500' }]]), products: new Map(), codes: new Map() },
      },
      loyalty: { credentials: {} },
    };
    const shops = Array.from({ length: many }, () => shop);
    const stack = { ...shop, shops, keys: { administrator: {} } } as unknown as RunningStack;
    const printed = `${await greet(stack, showSandbox(stack, 'webhooks'), undefined)}${greetNew(stack)}`;
    const lines = [...printed.matchAll(/npx loyalty-connector (.+)/g)].map(
      ([, words = '']) => words,
    );
    expect(lines.map((one) => commandFor(one.split(' ')))).toEqual([
      ...['status', 'trace', 'setup'],
    ]);
  },
);

it('npm start --new prints what the plugin and setup need for a Vendure shop, and no store that is not its own', () => {
  const vendure = { adminApi: 'http://localhost:3000/admin-api' };
  const one = {
    shop: { domain: 'localhost', platform: 'vendure', vendure },
    store: { credentials: { clientId: 'an-app' }, address: 'http://127.0.0.1:4032' },
    loyalty: { credentials: { token: 'a-token', key: 'a-key' } },
    ...{ webhookAddress: 'http://127.0.0.1:4030/localhost', webhookSecret: 'signs' },
  };
  const printed = greetNew({ name: 'local', shops: [one] as never });
  expect(printed).toMatch(
    /plugin address +http:\/\/127\.0\.0\.1:4030\/localhost.*\n *plugin secret +signs\n/,
  );
  for (const value of [vendure.adminApi, 'a-token', 'a-key']) expect(printed).toContain(value);
  expect(printed).not.toMatch(/client|4032/);
  expect(greetNew({ name: 'local', shops: [one] as never }, true)).not.toMatch(/setup|signs/);
});

it('npm start prints texts of the store without their control characters', () => {
  const code = 'C\u001b[8m \u001b]0;p\u0007 \u202e\u009b2J';
  expect(escapeControls(`1  coupon ${code}\n2  é 😀`)).toBe(
    '1  coupon C\\u001b[8m \\u001b]0;p\\u0007 \\u202e\\u009b2J\n2  é 😀',
  );
});

function leavesOf(command: Command, path = ''): readonly string[] {
  return command.commands.flatMap((child) => {
    const name = `${path} ${child.name()}`.trim();
    const own = child.commands.length === 0 || child.name() === 'reconcile' ? [name] : [];
    return [...own, ...leavesOf(child, name)];
  });
}

it.each([
  ['an unknown store', ['--store', 'magento'], /Allowed choices are shopify, vendure/],
  ['a store that needs no set-up', ['--store', 'vendure', '--new'], /'--new' cannot be used/],
])('start refuses %s', (_, words, why) => {
  expect(() => commandFor(['start', ...words])).toThrow(why);
  expect(commandFor(['start', '--store', 'vendure', '--once'])).toBe('start');
});

it('every command has a kind', () => {
  expect(leavesOf(createProgram()).toSorted()).toEqual(Object.keys(COMMAND_KINDS).toSorted());
});

it('every command for a running stack is tried with the policy that it needs (test/long/operate/operator-policies.test.ts)', () => {
  const kinds = Object.entries(COMMAND_KINDS);
  const forStacks = kinds.filter(([, kind]) => kind !== 'own').map(([name]) => name);
  expect(Object.keys(COMMAND_LINES).toSorted()).toEqual(forStacks.toSorted());
});

it('an audit record keeps ids, choices and dates as they were typed', () => {
  const options = { since: Date.parse('2026-10-01'), kind: 'order', limit: 20, shop: undefined };
  expect(argumentsOf({ operands: ['7012345', 'K3F9A2LQ7ZPX'], options })).toEqual({
    1: '7012345',
    2: 'K3F9A2LQ7ZPX',
    since: '2026-10-01T00:00:00.000Z',
    kind: 'order',
    limit: '20',
  });
});

it('an audit record leaves out e-mail addresses, and of an address all but its host', () => {
  const options = {
    because: 'jo.doe+x@example.com asked <jo@example.com>',
    to: 'https://example.com/shop/token-1?key=2',
    id: 'jo@example.com',
  };
  expect(argumentsOf({ operands: [], options })).toEqual({
    because: '(an e-mail address) asked <(an e-mail address)>',
    to: 'https://example.com',
    id: '(an e-mail address)',
  });
});

it('an audit record stays small, whatever was typed', () => {
  const { because = '' } = argumentsOf({ operands: [], options: { because: 'x'.repeat(9_999) } });
  expect(because).toHaveLength(200);
});

it.each([
  ['ExpiredToken', 'Your AWS credentials have expired.', 'aws sso login --profile shop'],
  ['InvalidClientTokenId', 'AWS does not know these credentials.', '--profile'],
  ['AccessDenied', 'are not allowed to do that: not for you', 'arn:of-the-policy'],
  ['RequestTimeTooSkewed', "This machine's clock is wrong", 'date -u'],
])('explains the error %s of AWS, with what to do next', (name, said, next) => {
  const error = Object.assign(new Error('not for\n you'), { name });
  const problem = explainAwsError(error, { profile: 'shop' }, 'arn:of-the-policy');
  expect(problem?.message).toContain(said);
  expect(problem?.next).toContain(next);
});

it.each([
  ['CredentialsProviderError', 'Could not load credentials from any providers'],
  ['Error', 'Region is missing'],
])('names the profiles where the one that was asked for does not exist: %s', (name, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'profiles-'));
  const config = join(folder, 'config');
  writeFileSync(
    config,
    '[default]\n[profile shop]\nregion = eu-west-1\n[sso-session team]\n[till]\n',
  );
  writeFileSync(join(folder, 'credentials'), '[ till ]\n[ops]\n');
  vi.stubEnv('AWS_CONFIG_FILE', config);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'));
  const asked = (profile: string) =>
    explainAwsError(Object.assign(new Error(message), { name }), { profile });
  expect(asked('shopp')?.message).toContain('There is no AWS profile "shopp"');
  expect(asked('shopp')?.next).toBe('Profiles there: default, shop. Did you mean shop?');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'));
  expect(asked('opss')?.next).toBe('Profiles there: default, shop, till, ops. Did you mean ops?');
  expect(asked('shop')?.message).toMatch(/^No AWS (credentials were found|region is set)\.$/);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('names an address of AWS that was left over, once a deployed stack is asked for', () => {
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:22531');
  const error = Object.assign(new Error('Deserialization error'), { $metadata: {} });
  expect(explainAwsError(error, { stack: 'prod' })?.message).toContain('AWS_ENDPOINT_URL is set');
  expect(explainAwsError(error, {})?.message).toContain('AWS answered Error');
  vi.unstubAllEnvs();
});

it('explains that AWS did not answer, however the request was sent', () => {
  const error = new AwsUnanswered({
    ...{ kind: 'failure', reason: 'time-out', phase: 'waiting' },
    ...{ mayHaveHappened: true, tries: 1 },
  });
  expect(explainAwsError(error, {})?.message).toContain('AWS does not answer from here');
});

describe('what a command would change', () => {
  const preview = { title: 'Would send 2', blocks: [], data: {} };
  const carried = async (yes: boolean, agrees: boolean, question?: string) => {
    const steps: string[] = [];
    const session = {
      show: () => void steps.push('show'),
      terminal: { confirm: async () => steps.push('ask') > 0 && agrees },
      beginChange: async () => ({ count: () => {}, at: steps.push('record') }),
    } as unknown as Parameters<typeof carryOut>[0];
    const ended = await carryOut(session, {} as Deployment, yes, {
      question,
      preview: () => preview,
      act: async () => ({ ...preview, title: `Sent after ${steps.push('act')} steps` }),
    });
    return { steps, ended: typeof ended === 'number' ? ended : ended.title };
  };

  it('is shown, asked for, recorded and done, in this order', async () => {
    expect(await carried(false, true, 'Send?')).toEqual({
      steps: ['show', 'ask', 'record', 'act'],
      ended: 'Sent after 4 steps',
    });
    expect((await carried(true, false, 'Send?')).steps).toEqual(['record', 'act']);
  });

  it('is neither recorded nor done where nobody agrees, or nothing is to be done', async () => {
    expect(await carried(false, false, 'Send?')).toEqual({ steps: ['show', 'ask'], ended: 0 });
    expect(await carried(true, true)).toEqual({ steps: [], ended: 'Would send 2' });
  });
});
