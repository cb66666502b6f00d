import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { defaultServerSettings, defaultSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { pointTopics } from '../../../shared/loyalty/operations.ts';
import { runCurl } from './run-curl.ts';
import { callApi, completedOrder, orders } from './server-requests.ts';
import { startSandbox } from './start-sandbox.ts';

const text = readFileSync('docs/loyalty-sandbox.md', 'utf8');

/** The code in the first cells of a table's rows. */
const rowsOf = (heading: string) =>
  (text.split(`${heading}\n`)[1]?.split('\n#')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('the document of the sandbox', () => {
  it('lists every setting with its default, and nothing else', () => {
    const documented = rowsOf('## Settings').map(([, name, value]) => [
      codeIn(name)[0],
      codeIn(value)[0],
    ]);
    const actual = Object.entries(defaultSettings).flatMap(([name, value]) =>
      typeof value === 'object'
        ? Object.entries(value).map(([part, v]) => [`${name}.${part}`, JSON.stringify(v)])
        : [[name, JSON.stringify(value)]],
    );
    expect(documented).toEqual(actual);
  });

  it('grades every setting and every guess: D, S, I or N', () => {
    const settings = rowsOf('## Settings').filter(([, name]) => !name?.includes('credentials'));
    for (const [, name, , grade] of settings) expect(grade, name).toMatch(/^[DSIN]$/);
    const guesses = (text.split('## Guesses without a setting\n')[1]?.split('\n#')[0] ?? '')
      .split('\n')
      .filter((line) => /^\| [A-Z]/.test(line))
      .slice(1);
    expect(guesses.length).toBeGreaterThan(15);
    for (const guess of guesses) expect(guess).toMatch(/\| [DSI](?:, [DSI])* \|$/);
  });

  it('lists every kind of fault, and nothing else', () => {
    const reading = readFaultRule({ kind: 'unknown' }, []);
    const [problem = ''] = reading.kind === 'wrong' ? reading.problems : [];
    const kinds = problem.slice('kind must be one of '.length, -1).split(', ');
    const documented = rowsOf('### Faults').flatMap(([, kind]) => codeIn(kind));
    expect(documented.toSorted()).toEqual(kinds.toSorted());
  });

  it('states the bounds and topics as they are', () => {
    const { journalLimit, eventAttempts } = defaultServerSettings;
    expect(text).toContain(`the latest ${journalLimit.toLocaleString('en')} calls`);
    expect(text).toContain(`tried up to ${eventAttempts} times`);
    for (const topic of pointTopics) expect(text).toContain(`\`${topic}\``);
  });
});

describe('the commands in it', () => {
  let sandbox: LoyaltySandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({
      subscriptions: [{ name: 'typed', address: 'http://127.0.0.1:1', topics: ['Point_Removed'] }],
    });
  });
  afterAll(() => sandbox.stop());
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(text) ?? [];
  const commands = block.split('\n').filter((line) => line.startsWith('curl'));

  it('work as they are, one after the other', async () => {
    const run = (part: string) => {
      const found = commands.filter((command) => command.includes(part));
      expect(found, part).toHaveLength(1);
      return runCurl((found[0] ?? '').replace('http://127.0.0.1:4010', sandbox.address));
    };
    expect(commands).toHaveLength(13);
    expect((await run('/sandbox/settings')).json).toMatchObject({ settings: defaultSettings });
    expect((await run('reset-after')).status).toBe(201);
    for (const id of ['1', '2']) {
      const call = callApi(sandbox, 'POST', orders, completedOrder(id));
      await expect(call).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
    expect((await run('/sandbox/state')).json).toMatchObject({ orders: [{}, {}], faults: [] });
    expect((await run('journal?')).json).toMatchObject({ entries: [{ n: 1 }, { n: 2 }] });
    expect((await run('http-503')).json).toMatchObject({ id: 2, probability: 0.1 });
    expect((await run('sandbox/faults?id=1')).status).toBe(200);
    expect((await run('curl http://127.0.0.1:4010/sandbox/faults')).json).toMatchObject({
      faults: [{ id: 2 }],
    });
    expect((await run("json' http://127.0.0.1:4010/sandbox/journal")).status).toBe(200);
    expect(sandbox.journal.entries()).toEqual([]);
    expect(
      (await run("DELETE -H 'content-type: application/json' http://127.0.0.1:4010/sandbox/faults"))
        .status,
    ).toBe(200);
    expect(sandbox.faults.list()).toEqual([]);
    expect((await run('-X PUT')).status).toBe(200);
    expect(sandbox.state().subscriptions).toMatchObject([{ headers: ['x-token'] }]);
    expect((await run('{"on":"typed"}')).status).toBe(200);
    expect((await run('/sandbox/reset')).status).toBe(200);
    expect(sandbox.state().orders).toEqual([]);
  });

  it('say truly that the header is needed', async () => {
    const bare = `curl -X POST ${sandbox.address}/sandbox/reset`;
    expect((await runCurl(bare)).status).toBe(415);
  });
});
