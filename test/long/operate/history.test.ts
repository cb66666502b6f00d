import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type AuditRecord,
  recordBegin,
  recordEnd,
} from '../../../scripts/connector/ground/session/audit-records.ts';
import { answerCaller, OPERATOR } from '../../support/aws-gateway.ts';
import { SECRETS, useOperatedConnector } from '../../support/operated-connector.ts';
import { runSuggested } from '../../support/suggested-command.ts';

/** What the clock of AWS is ahead of this machine's. */
let awsAheadMs = 0;
const connector = useOperatedConnector({
  services: {
    sts: (request, response) => {
      response.setHeader('date', new Date(Date.now() + awsAheadMs).toUTCString());
      answerCaller(request, response);
    },
  },
});

const NEW_SECRET = JSON.stringify({ token: 'loyalty-token-5b1d71', key: 'loyalty-key-93f2c9' });

async function history(filter = ''): Promise<readonly AuditRecord[]> {
  const { code, stdout } = await connector.run(`history --json ${filter}`.trim());
  expect(code).toBe(0);
  return JSON.parse(stdout).data.changes;
}

describe('the history of a stack', () => {
  it('names who changed what, with its result', async () => {
    const before = Date.now();
    expect((await connector.run('webhooks sync --yes')).code).toBe(0);
    const [record, ...others] = await history();
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      who: 'AIDAOPERATOR',
      claims: OPERATOR,
      command: 'webhooks sync',
      arguments: { yes: 'true' },
      end: { result: 'finished', verdict: 'ok', counts: { created: expect.any(Number) } },
    });
    expect(Date.parse(record?.at ?? '')).toBeGreaterThanOrEqual(before);
  });

  it('holds no secret that was set', async () => {
    expect((await connector.run('secrets set loyalty --untried', NEW_SECRET)).code).toBe(4);
    const [record] = await history();
    expect(record).toMatchObject({ arguments: { 1: 'loyalty' }, end: { counts: { stored: 1 } } });
    expect(JSON.stringify(record)).not.toMatch(/5b1d71|93f2c9/);
  });

  it('has nothing of a command that only shows what it would change', async () => {
    const before = await history();
    await connector.run('webhooks sync');
    expect(await history()).toEqual(before);
  });

  it('shows a change whose process was ended as one without an end', async () => {
    const caller = {
      arn: 'arn:aws:sts::000000000000:assumed-role/Operator/max',
      userId: 'AROA:max',
    };
    const two = { 1: 'order', 2: '1015', 3: '1016', kind: 'order', id: '7 8' };
    const resend = { command: 'resend', arguments: two, version: '1.0.0-rc.2' };
    const key = await recordBegin(connector.ledger, caller, resend, new Date(Date.now() - 1_000));
    const end = { result: 'finished', counts: { sent: 1 } } as const;
    await recordEnd(connector.ledger, key, end, new Date());
    const given = { yes: 'true', id: '7' };
    const change = { command: 'dead-letters replay', arguments: given, version: '1.0.0-rc.2' };
    await recordBegin(connector.ledger, caller, change, new Date());
    const { stdout } = await connector.run('history --who max');
    expect(stdout).toMatch(
      / max +dead-letters replay --id 7: still running, or its process was killed/,
    );
    expect(stdout).toContain('resend order 1015 1016: done, 1 sent');
  });

  it('is filtered by command, caller and time, the newest first', async () => {
    const commands = async (filter: string) =>
      (await history(filter)).map(({ command }) => command);
    expect(await commands('--command dead-letters')).toEqual(['dead-letters replay']);
    expect(await commands('--command dead')).toEqual([]);
    expect(await commands('--who olivia')).toEqual(['secrets set', 'webhooks sync']);
    expect(await commands('--limit 1')).toEqual(['dead-letters replay']);
    expect(await commands('--since 2100-01-01')).toEqual([]);
  });

  it('comes in pages, each beginning where the one before ended, none left out', async () => {
    const caller = { arn: 'arn:aws:iam::000000000000:user/nadia', userId: 'AIDANADIA' };
    const begin = (command: string, at: number) =>
      recordBegin(
        connector.ledger,
        caller,
        { command, arguments: {}, version: '1.0.0-rc.2' },
        new Date(at),
      );
    const now = Date.now();
    // The second and the third in the same millisecond.
    for (const [index, at] of [now - 3, now - 2, now - 2, now - 1].entries()) {
      await begin(`page ${index}`, at);
    }
    const page = async (words: string) =>
      JSON.parse((await connector.run(`history --json --who nadia ${words}`)).stdout).data;
    const first = await page('--limit 2');
    expect(first.changes).toHaveLength(3);
    expect(first.changes[0].command).toBe('page 3');
    const second = await page(`--limit 2 --until ${first.more}`);
    expect(second.changes.map(({ command }: AuditRecord) => command)).toEqual(['page 0']);
    expect(second.more).toBeUndefined();
    const shown = await connector.run('history --who nadia --limit 2');
    const [rest] = await runSuggested(shown, connector);
    expect(rest?.stdout).toContain('page 0');
    expect(rest?.stdout).not.toContain('page 1');
  });

  describe('names first what the key of a record proves', () => {
    const role = 'arn:aws:sts::000000000000:assumed-role/Operator';
    const user = 'arn:aws:iam::000000000000:user';
    const hidden = '\u001b[8m\u0007';

    it.each([
      ['a session', 'AROA:max', `${role}/max`, 'max'],
      ['a session as another', 'AROA:max', `${role}/olivia`, 'max, who claims to be olivia'],
      [
        'a session as the accused',
        'AROA:max',
        `${role}/olivia, who claims to be ${role}/max`,
        'max',
      ],
      ['a user, whose id names nobody', 'AIDANADIA', `${user}/nadia`, 'AIDANADIA (nadia)'],
      ['a user as another', 'AIDAMAX', `${user}/olivia`, 'AIDAMAX (olivia)'],
      ['who hides what follows', 'AIDAMAX', `${user}/${hidden}`, 'AIDAMAX (\\u001b[8m\\u0007)'],
      [
        'who fills the screen',
        'AIDAMAX',
        `${user}/${'x'.repeat(900)}`,
        `AIDAMAX (${'x'.repeat(63)}…)`,
      ],
      [
        'a session called as a shop',
        'AROA:evil.myshopify.com',
        `${role}/evil.myshopify.com`,
        'evil.myshopify.com',
      ],
      [
        'a session called as a month',
        'AROA:operators-2026-11',
        `${role}/operators-2026-11`,
        'operators-2026-11',
      ],
      ['a session called as the end', 'AROA:end', `${role}/end`, 'end'],
    ])('%s', async (_, userId, arn, shown) => {
      const command = `as-${randomBytes(3).toString('hex')}`;
      const change = { command, arguments: {}, version: '1.0.0-rc.2' };
      await recordBegin(connector.ledger, { arn, userId }, change, new Date());
      const { stdout } = await connector.run(`history --command ${command}`);
      expect(stdout).toContain(`  ${shown}  ${command}`);
      expect(await history(`--command ${command}`)).toMatchObject([{ who: userId, claims: arn }]);
    });
  });

  it('escapes and shortens whatever a record says', async () => {
    const text = `x\n2026-11-17 12:00:00  olivia  paused all calls\u001b[8m${' y'.repeat(50_000)}`;
    const change = {
      command: 'long',
      arguments: { because: text, 1: text },
      version: '1.0.0-rc.2',
    };
    const caller = { arn: `arn:aws:iam::000000000000:user/max`, userId: 'AIDAMAX' };
    await recordBegin(connector.ledger, caller, change, new Date());
    const { stdout } = await connector.run('history --command long');
    expect(stdout).toContain('\\u000a2026-11-17 12:00:00');
    expect(stdout).toContain('\\u001b[8m');
    expect(stdout.split('\n').length).toBeLessThan(100);
  });

  it('shows a record of a clock that was ahead, as such', async () => {
    const change = { command: 'ahead', arguments: {}, version: '1.0.0-rc.2' };
    const caller = { arn: 'arn:aws:sts::0:assumed-role/Operator/max', userId: 'AROA:max' };
    const later = new Date(Date.now() + 3_600_000);
    await recordBegin(connector.ledger, caller, change, later);
    const { stdout } = await connector.run('history --command ahead');
    expect(stdout).toMatch(/ max +ahead: dated in the future, by a wrong clock/);
    expect((await history('--limit 1')).map(({ command }) => command)).toEqual(['ahead']);
    expect(await history(`--command ahead --until ${new Date().toISOString()}`)).toEqual([]);
  });

  it.each([-500 * 86_400_000, -6 * 60_000, 6 * 60_000])(
    'is of the time of AWS: no change begins on a machine whose clock differs by %d ms',
    async (ms) => {
      const { length } = await history();
      awsAheadMs = ms;
      const { code, stderr } = await connector.run('retry-now');
      awsAheadMs = 0;
      expect(stderr).toContain('Nothing was changed');
      expect(stderr).toContain("This machine's clock is wrong");
      expect(code).toBe(1);
      expect(await history()).toHaveLength(length);
    },
  );

  it('shows a record that cannot be read as such', async () => {
    const at = new Date().toISOString();
    await connector.ledger.write(
      { shop: `operators-${at.slice(0, 7)}`, kind: 'audit', id: `AROA:max|${at}|damaged` },
      { version: 1, uncertain: false, outcomes: [], remembered: '{"who"' },
      undefined,
    );
    const [newest] = await history(`--limit 1 --until ${new Date(Date.now() + 1).toISOString()}`);
    expect(newest).toMatchObject({ at, who: 'AROA:max', command: '(the record is not readable)' });
  });

  it('keeps a command from changing anything that it cannot record', async () => {
    await connector.describe({ outputs: { ...connector.outputs, LedgerTable: 'another' } });
    const text = JSON.stringify(SECRETS.loyalty);
    const { code, stderr } = await connector.run('secrets set loyalty --untried', text);
    await connector.describe();
    expect(stderr).toContain('Nothing was changed, because the ledger does not accept');
    expect(code).toBe(1);
    expect(await connector.secret('loyalty')).toEqual(JSON.parse(NEW_SECRET));
  });
});
