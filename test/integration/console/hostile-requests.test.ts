import { request, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_KINDS } from '../../../scripts/connector/ground/session/command-kinds.ts';
import { type ConsoleOnTheWire, openConsoleOnTheWire } from './console-on-the-wire.ts';

let console_: ConsoleOnTheWire;
let readOnly: ConsoleOnTheWire;

beforeAll(async () => {
  console_ = await openConsoleOnTheWire();
  readOnly = await openConsoleOnTheWire({ readOnly: true });
});
afterAll(() => Promise.all([console_.stop(), readOnly.stop()]));

/** It serves its own page as before. */
afterEach(async () => {
  for (const one of [console_, readOnly]) {
    const { status } = await one.ask({ headers: { cookie: one.cookie } });
    expect(status).toBe(200);
    expect(one.problems).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  }
});

/** It was not run: no answer of 5xx, no success, nothing asked of AWS. */
async function expectRefused(body: unknown, on = console_): Promise<string> {
  on.aws.received.length = 0;
  const { status, code, text } = await on.run(body);
  if (status === 200) expect(code).toBeGreaterThan(0);
  else expect(Math.floor(status / 100)).toBe(4);
  expect(on.aws.received).toEqual([]);
  expect(text).not.toMatch(/Usage:|node_modules|\bat [\w.]+ \(/);
  return text;
}

describe('a body', () => {
  it.each([
    ['empty', ''],
    ['broken', '{"command":"status"'],
    ['no object', '"status"'],
    ['null', 'null'],
    ['a list', '[{"command":"status"}]'],
    ['two documents', '{"command":"status"}{"command":"pause"}'],
    ['no text', '\u0000\u0001\u00ff'],
    ['deep', `{"command":"status","options":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`],
    ['a deep list', '['.repeat(30_000)],
    ['a million bytes', `{"command":"status","x":"${'x'.repeat(1_000_000)}"}`],
    ['thousands of operands', { command: 'trace', operands: Array(5_000).fill('x') }],
  ])('that is %s is refused', async (_, body) => {
    await expectRefused(body);
  });

  it.each([
    { command: ['status'] },
    { command: { toString: 'status' } },
    { command: 5 },
    { command: null },
    { command: 'trace', operands: 'order' },
    { command: 'trace', operands: { 0: 'order', length: 1 } },
    { command: 'trace', operands: ['order', 5] },
    { command: 'trace', operands: ['order', null] },
    { command: 'trace', operands: ['order', ['5']] },
    { command: 'status', options: 'shop' },
    { command: 'status', options: { shop: { a: 1 } } },
    { command: 'status', options: { shop: [['x']] } },
    { command: 'pause', options: { yes: 'no' } },
    { command: 'pause', options: { yes: 'false' } },
    { command: 'pause', options: { yes: null } },
    { command: 'pause', options: { yes: 0 } },
    { command: 'pause', options: { yes: true, shop: true } },
  ])('of a wrong shape is refused: %j', async (body) => {
    await expectRefused(body);
  });

  it.each([
    '{"command":"__proto__"}',
    '{"command":"constructor"}',
    '{"command":"toString"}',
    '{"command":"hasOwnProperty"}',
    '{"__proto__":{"command":"status","polluted":1}}',
    '{"command":"dead-letters drop","options":{"__proto__":{"polluted":1}}}',
    '{"command":"dead-letters drop","options":{"constructor":{"prototype":{"polluted":1}}}}',
    '{"command":"dead-letters drop","options":{"__proto__":"yes"}}',
    '{"command":"dead-letters drop","options":{"constructor":"x"}}',
    '{"command":"dead-letters drop","options":{"prototype":true}}',
    '{"constructor":{"prototype":{"command":"pause","polluted":1}}}',
  ])('cannot change the prototype of objects: %s', async (body) => {
    await expectRefused(body);
  });

  it('that never ends is cut off, and blocks no other request', async () => {
    let sent = 0;
    const ended = new Promise<void>((resolve) => {
      const headers = { ...console_.own, host: console_.host, 'transfer-encoding': 'chunked' };
      const { port } = console_;
      const options = { host: '127.0.0.1', port, method: 'POST', path: '/run', headers };
      const asked = request({ ...options, agent: false }, (response) => response.resume());
      const part = Buffer.alloc(64 * 1024, ' ');
      const more = () => {
        if (asked.destroyed) return;
        sent += part.length;
        asked.write(part, () => setTimeout(more, 1));
      };
      asked.on('error', () => {});
      asked.on('close', resolve);
      more();
    });
    expect((await console_.ask({ headers: { cookie: console_.cookie } })).status).toBe(200);
    await ended;
    expect(sent).toBeLessThan(50_000_000);
    expect(console_.aws.received).toEqual([]);
  });

  it('that stays away blocks no other request', async () => {
    const headers = { ...console_.own, host: console_.host, 'content-length': '500' };
    const options = { host: '127.0.0.1', port: console_.port, method: 'POST', path: '/run' };
    const waiting = Array.from({ length: 50 }, () => {
      const asked = request({ ...options, headers, agent: false });
      asked.on('error', () => {});
      asked.write('{"command":');
      return asked;
    });
    const { code } = await console_.run({ command: 'history', operands: [], options: {} });
    expect(code).toBe(1);
    for (const asked of waiting) asked.destroy();
  });
});

describe('a command', () => {
  const notOffered = Object.keys(COMMAND_KINDS).filter((name) => COMMAND_KINDS[name] === 'own');
  it.each([
    ...notOffered,
    'secrets set',
    'help',
    '',
    ' ',
    'dead-letters',
    'dead-letters list --reveal',
    'status --stack other',
    'status\n',
    'status\u0000',
    '--version',
    '-h',
    'STATUS',
    'sta',
    '../status',
    'status; ls',
    '$(ls)',
  ])('that is not offered is refused: %j', async (command) => {
    await expectRefused({ command, operands: [], options: {} });
  });

  const own = ['stack', 'region', 'profile', 'verbose', 'version', 'help', 'port', 'open'];
  it.each(own)('cannot have the option %s, which is the console’s', async (name) => {
    for (const value of ['evil', true]) {
      await expectRefused({ command: 'status', operands: [], options: { [name]: value } });
    }
  });

  it.each([
    '',
    '-',
    '--',
    '-h',
    '--yes',
    '-V',
    'yes --stack x',
    'yes=x',
    'shop=x',
    'noSuch',
    'é',
    'a\nb',
  ])('cannot have an option of the name %j', async (name) => {
    for (const value of [true, 'x', false]) {
      const options = value === false ? { [name]: value, '--stack': 'x' } : { [name]: value };
      await expectRefused({ command: 'pause', operands: [], options });
    }
  });

  it.each(['--yes', '--help', '--version', '--stack=evil', '--', '-h', '--json', '@file', '$(ls)'])(
    'takes %j as a value, and not as an option',
    async (value) => {
      // There is no such shop.
      const text = await expectRefused({
        command: 'pause',
        operands: [],
        options: { shop: value, yes: true },
      });
      expect(text).toContain('shop');
      const trace = await console_.run({
        command: 'trace',
        operands: ['order', value],
        options: {},
      });
      expect(trace.text).not.toMatch(/Usage:|unknown option|too many arguments/);
      expect(trace.code).not.toBe(0);
      const many = { command: 'pause', operands: [value], options: { yes: true } };
      await expectRefused(many);
    },
  );

  it('hides nothing in a line of the answer: a hostile value stays inside its text', async () => {
    const value = 'x"}\n{"code":0}\r\n\u2028\u0000\u001b[2J';
    const { lines, code } = await console_.run({
      command: 'pause',
      options: { shop: value, yes: true },
    });
    expect(lines.filter((one) => 'code' in one)).toHaveLength(1);
    expect(code).not.toBe(0);
  });

  it('says what is wrong with a value, without the option that the page has a field for', async () => {
    const { lines } = await console_.run({ command: 'pause', options: { for: '2 hours' } });
    const message = 'Give a duration such as 30m, 2h or 1d.';
    expect(lines[1]).toEqual({ problem: { message } });
  });
});

describe('a console that only reads', () => {
  const commands = Object.entries(COMMAND_KINDS).filter(([, kind]) => kind !== 'own');
  it.each(commands.filter(([, kind]) => kind === 'changes').map(([name]) => name))(
    'refuses "%s"',
    async (command) => {
      for (const options of [{}, { yes: true }, { 'dry-run': true }, { 'read-only': false }]) {
        const text = await expectRefused({ command, operands: [], options }, readOnly);
        expect(text).toContain('does not offer');
      }
    },
  );

  it('is no more open than the other: cookie and key are needed, and it answers questions', async () => {
    const body = JSON.stringify({ command: 'history', operands: [], options: {} });
    const asked = { method: 'POST', path: '/run', body };
    const { 'x-console-key': _, ...withoutKey } = readOnly.own;
    expect((await readOnly.ask({ ...asked, headers: withoutKey })).status).toBe(403);
    expect((await readOnly.run(body)).text).not.toContain('does not offer');
    readOnly.aws.received.length = 0;
  });
});

describe('many and broken connections', () => {
  it('are survived: 100 commands at a time, each with its own answer, or refused', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        console_.run({ command: 'pause', options: { shop: `shop-${index}`, yes: true } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
    for (const [index, { status, lines, text }] of answers.entries()) {
      if (status === 429) continue;
      expect(lines.at(0)).toHaveProperty('run');
      expect(text).toMatch(new RegExp(`shop-${index}\\b`));
    }
  });

  /** A command that waits for AWS, until `over`. */
  async function runHanging() {
    const denied = console_.aws.script;
    const held: ServerResponse[] = [];
    console_.aws.script = (response) => held.push(response);
    const begun = await console_.begin({ command: 'history', operands: [], options: {} });
    await expect.poll(() => held.length).toBeGreaterThan(0);
    return {
      ...begun,
      held,
      over() {
        console_.aws.script = denied;
        for (const response of held) denied(response, response.req.socket);
      },
    };
  }

  it('leave the console usable, when they end in the middle of a command', async () => {
    const { leave, held, over } = await runHanging();
    leave();
    over();
    await expect.poll(() => held.every(({ writableFinished }) => writableFinished)).toBe(true);
  });

  it('are ended by their own page alone: a guess and another session stop nothing', async () => {
    const { run, ended, text, over } = await runHanging();
    const stop = { method: 'POST', path: '/stop' };
    const { 'x-console-key': _, ...withoutKey } = console_.own;
    const body = JSON.stringify({ run });
    expect((await console_.ask({ ...stop, body, headers: withoutKey })).status).toBe(403);
    for (const guess of ['{"run":"x"}', '{"run":"__proto__"}', '{"run":null}', '{}', 'null', '{']) {
      const { status } = await console_.ask({ ...stop, body: guess, headers: console_.own });
      expect(status).toBeLessThan(500);
    }
    over();
    await ended;
    expect(text()).toContain('"code"');
    // The code of a command that was stopped.
    expect(text()).not.toContain('"code":130');
  });

  it('are ended by the stop button, even if AWS does not answer', async () => {
    const { stop, ended, text, over } = await runHanging();
    await stop();
    await ended;
    expect(text()).toContain('{"code":130}');
    over();
  });
});
