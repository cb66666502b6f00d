import { Command } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { createGuard } from '../../../scripts/connector/ground/console/guard.ts';
import {
  hrefOf,
  isPrivate,
  readRoute,
} from '../../../scripts/connector/ground/console/page/route.ts';
import {
  secondText,
  textIn,
  zoneOf,
} from '../../../scripts/connector/ground/console/page/words.ts';
import {
  type CommandLine,
  offeredCommands,
  type Ran,
  type RunSettings,
  runCommand,
  wordsOf,
} from '../../../scripts/connector/ground/console/run-command.ts';
import type { Deployment } from '../../../scripts/connector/ground/session/deployment.ts';
import { describeChangedSettings } from '../../../scripts/connector/ground/session/find-deployment.ts';
import { type Action, runAction } from '../../../scripts/connector/ground/session/run-action.ts';
import { line } from '../../../scripts/connector/ground/terminal/line.ts';
import { findProject } from '../../../shared/config/folders.ts';
import { digestOfSettings } from '../../../shared/config/settings-file.ts';

const PORT = 4999;
const HOST = `127.0.0.1:${PORT}`;

function opened() {
  const guard = createGuard(PORT);
  const session = guard.open(guard.token);
  const cookie = session?.cookie.split(';')[0] ?? '';
  const own = {
    host: HOST,
    origin: `http://${HOST}`,
    'content-type': 'application/json',
    cookie: `other=1; ${cookie}`,
    'x-console-key': session?.key ?? '',
    'sec-fetch-site': 'same-origin',
  };
  return { guard, session, own };
}

describe('the guard of the console', () => {
  it('lets the own page ask', () => {
    const { guard, own } = opened();
    expect(guard.refusesRun(own)).toBeUndefined();
    expect(guard.refusesRun({ ...own, 'sec-fetch-site': undefined })).toBeUndefined();
  });

  it.each([
    ['a name that leads here', { host: `attacker.example:${PORT}` }, 'other-host'],
    ['another port', { host: '127.0.0.1:80' }, 'other-host'],
    ['no host', { host: undefined }, 'other-host'],
    ["another page's script", { origin: 'https://attacker.example' }, 'other-origin'],
    ['a sandboxed frame', { origin: 'null' }, 'other-origin'],
    ['a request without an origin', { origin: undefined }, 'other-origin'],
    ['another port of this machine', { origin: 'http://127.0.0.1:80' }, 'other-origin'],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 'other-origin'],
    ["another page's form", { 'content-type': 'text/plain' }, 'not-json'],
    ['no cookie', { cookie: undefined }, 'no-session'],
    ['a wrong cookie', { cookie: `console-${PORT}=guess` }, 'no-session'],
    ['a stolen cookie without the key', { 'x-console-key': undefined }, 'no-session'],
    ['a wrong key', { 'x-console-key': 'guess' }, 'no-session'],
  ])('refuses %s', (_name, headers, refusal) => {
    const { guard, own } = opened();
    expect(guard.refusesRun({ ...own, ...headers })).toBe(refusal);
  });

  it('opens one session, once', () => {
    const { guard, session } = opened();
    expect(session?.cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(guard.open(guard.token)).toBeUndefined();
    expect(createGuard(PORT).open('guess')).toBeUndefined();
  });
});

interface Circumstances extends Partial<Omit<RunSettings, 'createProgram' | 'send'>> {
  /** Instead of what `pause` does. */
  readonly pause?: Action<object>;
}

async function run(
  line: CommandLine,
  { pause, deployment = {} as Deployment, ...given }: Circumstances = {},
) {
  const events: Ran[] = [];
  await runCommand(line, {
    createProgram() {
      if (!pause) return createProgram();
      const program = new Command();
      program.command('pause').action(runAction(pause));
      return program;
    },
    ...{ deployment, readOnly: false, signal: new AbortController().signal },
    ...given,
    send: (event) => events.push(event),
  });
  return events;
}

const PAUSE = { command: 'pause', operands: [], options: {} };

describe('the words of a command', () => {
  it('never let a value or an operand become an option', () => {
    const options = { because: '--yes', id: ['1', '--2'], yes: true, force: false };
    expect(wordsOf({ command: 'dead-letters drop', operands: ['--yes'], options })).toEqual([
      ...['dead-letters', 'drop', '--because=--yes', '--id=1', '--id=--2', '--yes'],
      ...['--', '--yes'],
    ]);
  });
});

describe('the offered commands', () => {
  it('change nothing in a console that only reads', () => {
    expect(Object.values(offeredCommands(true))).not.toContain('changes');
    expect(offeredCommands(true)).toHaveProperty(['dead-letters list'], 'asks');
    expect(offeredCommands(true)).not.toHaveProperty(['dead-letters replay']);
    expect(offeredCommands(false)).toHaveProperty(['dead-letters replay'], 'changes');
  });

  it.each(['secrets set', 'deploy', 'console', 'start', 'app write', 'constructor', '__proto__'])(
    'do not hold %s',
    async (command) => {
      expect(await run({ command, operands: [], options: {} })).toEqual([
        { problem: { message: `This console does not offer "${command}".` } },
        { code: 2 },
      ]);
    },
  );

  it.each(['stack', 'profile', 'region', 'watch', 'help', 'csv', 'verbose', 'version'])(
    'keep --%s',
    async (option) => {
      const [problem] = await run({ command: 'status', operands: [], options: { [option]: 'x' } });
      const message = `The option --${option} belongs to the console itself.`;
      expect(problem).toEqual({ problem: { message } });
    },
  );
});

it('reports the mistakes of a line', async () => {
  const events = await run({ command: 'status', operands: [], options: { colour: 'red' } });
  expect(events).toEqual([
    { problem: { message: expect.stringContaining('unknown option') } },
    { code: 2 },
  ]);
});

it('says in every answer what changed since the console was started', async () => {
  const answerAfter = (digest: string | undefined) =>
    run(PAUSE, {
      deployment: {
        note: async () => describeChangedSettings('aws', 'prod', digest),
      } as Deployment,
      async pause(session) {
        await session.findDeployment();
        return 0;
      },
    });
  expect(await answerAfter('of other settings')).toContainEqual({
    notes: [expect.stringContaining('connector.config.ts has changed since')],
  });
  expect(await answerAfter(digestOfSettings(findProject(), 'prod'))).toEqual([{ code: 0 }]);
});

it.each([
  ['an error', new Error('refused'), 'Error: refused'],
  ['something else', 'refused', 'refused'],
])(
  'answers with what went wrong, also where this process is searched for bugs: %s',
  async (_, thrown, message) => {
    vi.stubEnv('DEBUG', '1');
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      printed.mockRestore();
    });
    expect(await run(PAUSE, { pause: () => Promise.reject(thrown) })).toEqual([
      { problem: { message } },
      { code: 1 },
    ]);
  },
);

it('begins no change after it was stopped', async () => {
  const stop = new AbortController();
  const events = await run(PAUSE, {
    signal: stop.signal,
    async pause(session) {
      stop.abort();
      await session.beginChange({} as Deployment);
      return 0;
    },
  });
  expect(events).toEqual([
    { problem: { message: 'Stopped. Nothing was changed.' } },
    { code: 130 },
  ]);
});

describe('an address of the page', () => {
  it.each([
    line('status', [], { charts: true }),
    line('trace', ['order', '5500'], { shop: 'example-store.myshopify.com' }),
    line('trace', ['coupon', "--it's/a?code#"]),
    line('dead-letters list', [], { reason: 'rejected', limit: '25' }),
    line('dead-letters list', [], { id: ['a&b', 'c=d'] }),
    line('reconcile status'),
  ])('is a command line that only looks: %j', (asked) => {
    expect(readRoute(hrefOf(asked))).toEqual(asked);
  });

  it.each([
    '',
    '#/',
    '#/resume',
    '#/dead-letters/scan',
    '#/reconcile?wait',
    '#/secrets/set/x',
    '#/constructor',
    '#/%',
  ])('is none, where it names no command or one that changes something: %j', (hash) => {
    expect(readRoute(hash)).toBeUndefined();
  });

  it('agrees to nothing and reveals nobody, whoever sent it', () => {
    expect(readRoute('#/trace/order/7?reveal&yes&reveal=true')).toEqual(
      line('trace', ['order', '7']),
    );
    expect(hrefOf(line('trace', ['order', '7'], { reveal: true }))).toBe('#/trace/order/7');
  });

  it.each([
    [line('trace', ['customer', 'anna@example.org']), true],
    [line('dead-letters list', [], { text: 'anna@example.org' }), true],
    [line('trace', ['order', '7'], { reveal: true }), true],
    [line('trace', ['order', '#1007'], { shop: 'example-store.myshopify.com' }), false],
  ])('never holds what is personal: %j', (asked, expected) => {
    expect(isPrivate(asked)).toBe(expected);
  });
});

describe('the words of the page', () => {
  it('write durations in one unit, so that they can be compared', () => {
    expect([0, 500, 1_500].map(textIn('milliseconds', 1_500))).toEqual(['0 s', '0.5 s', '1.5 s']);
    expect([60_000, 720_000].map(textIn('milliseconds', 720_000))).toEqual(['1 min', '12 min']);
    expect([12, null].map(textIn('milliseconds', 340))).toEqual(['12 ms', '–']);
  });

  it.each([
    ['UTC', '2026-11-20T03:05:09Z', '03:05:09 UTC'],
    ['UTC', '2026-11-20T13:05:09Z', '13:05:09 UTC'],
    ['America/Sao_Paulo', '2026-11-20T03:05:09Z', '00:05:09 GMT-3'],
    ['Europe/London', '2026-07-20T03:05:09Z', '04:05:09 BST'],
  ])('name the zone of a clock in %s whole, at every hour: %s', (zone, at, text) => {
    vi.stubEnv('TZ', zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(`${secondText(at)} ${zoneOf(at)}`).toBe(text);
  });
});
