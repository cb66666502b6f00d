import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canTypeInto, runCommand, typeInto } from '../../support/connector-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'connector-init-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (line: string) => runCommand(line.split(' '), { folder });
const COMPLETE =
  'init shop --shop paper.myshopify.com --loyalty-address https://points.example.org';

describe('loyalty-connector init', { timeout: 60_000 }, () => {
  it('writes a project from options, and says what comes next', async () => {
    const { code, stdout } = await run(COMPLETE);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n {2}cd shop\n {2}npm install\n {2}npm start/);
    expect(stdout).not.toContain('Already there');
    const settings = readFileSync(join(folder, 'shop/connector.config.ts'), 'utf8');
    expect(settings).toContain("domain: 'paper.myshopify.com'");
  });

  it('takes a packed connector into the project, which installs it from there', async () => {
    writeFileSync(join(folder, 'loyalty-connector-1.2.3.tgz'), 'packed');
    const { code } = await run(`${COMPLETE} --package loyalty-connector-1.2.3.tgz`);
    expect(code).toBe(0);
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'shop/package.json'), 'utf8'));
    expect(dependencies).toEqual({ 'loyalty-connector': 'file:loyalty-connector-1.2.3.tgz' });
    expect(readFileSync(join(folder, 'shop/loyalty-connector-1.2.3.tgz'), 'utf8')).toBe('packed');
  });

  it('names what else is in the folder', async () => {
    mkdirSync(join(folder, 'shop'));
    writeFileSync(join(folder, 'shop/orders.csv'), '');
    const { stdout } = await run(COMPLETE);
    expect(stdout).toContain('Already there, and left as it is: orders.csv.');
  });

  it('overwrites nothing', async () => {
    await run(COMPLETE);
    const other = COMPLETE.replace('paper.', 'ink.');
    const { code, stderr } = await run(other);
    expect(code).toBe(1);
    expect(stderr).toContain('already has package.json');
    const settings = readFileSync(join(folder, 'shop/connector.config.ts'), 'utf8');
    expect(settings).toContain("domain: 'paper.myshopify.com'");
  });

  it.each([
    ['init shop', '--shop is missing; --loyalty-address is missing.'],
    [COMPLETE.replace('paper.my', 'https://paper.my'), 'Vendure server: https://…/admin-api).'],
    [`${COMPLETE} --region eu`, '--region must be one such as eu-west-1.'],
    [COMPLETE.replace('https:', 'http:'), '--loyalty-address must begin with https://'],
    [`${COMPLETE} --alarms-email nobody`, '--alarms-email must'],
    [`${COMPLETE} --package none.tgz`, '--package must be a file that "npm pack" wrote'],
  ])('without a terminal asks nothing and writes nothing: %s', async (line, problem) => {
    const { code, stderr } = await run(line);
    expect(stderr).toContain(problem);
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(canTypeInto)('asks, and asks again after an answer that cannot be right', async () => {
    const { code, screen } = await typeInto('init shop', folder, {
      'Permanent domain of the shop': 'paper.example.org',
      'must end in .myshopify.com': 'paper.myshopify.com',
      'Address of the loyalty service': 'https://points.example.org',
      'E-mail address for alarms': '',
      'AWS region': '',
    });
    expect(screen).toContain('Written: package.json');
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'shop/package.json'), 'utf8')).toContain('us-east-1');
  });
});
