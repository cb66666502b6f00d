import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadStages } from '../../../infra/stages.ts';

const DEFINE = resolve('shared/config/connector-config.ts');
const GOOD =
  "{ shops: [{ domain: 'a.myshopify.com' }], loyalty: { address: 'https://l.example' } }";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'connector-stages-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, settings: string): void {
  const code = `import { defineConnector } from '${DEFINE}';\nexport default defineConnector(${settings});\n`;
  writeFileSync(join(folder, file), code);
}

async function faults(only?: string): Promise<readonly string[]> {
  const loaded = await loadStages(folder, only);
  return loaded.kind === 'faulty' ? loaded.faults : [];
}

async function names(only?: string): Promise<readonly string[]> {
  const loaded = await loadStages(folder, only);
  return loaded.kind === 'stages' ? loaded.stages.map(({ name }) => name) : [];
}

describe('stages', () => {
  it('are files: connector.config.ts is prod, and each other one is named in its file', async () => {
    write('connector.config.ts', GOOD);
    write('connector.config.staging.ts', GOOD);
    write('connector.config.dev.ts', GOOD);
    writeFileSync(join(folder, 'other.ts'), '');
    expect(await names()).toEqual(['prod', 'dev', 'staging']);
    expect(await names('dev')).toEqual(['dev']);
  });

  it('report every fault of every file at once, each with the name of its file', async () => {
    write('connector.config.ts', "{ shops: [], loyalty: { address: 'https://l.example' } }");
    write(
      'connector.config.dev.ts',
      "{ shops: [{ domain: 'shop.example' }], loyalty: { address: 'http://l.example' } }",
    );
    expect(await faults()).toEqual([
      'connector.config.ts:2:34: shops must have at least 1 entry',
      'connector.config.dev.ts:2:44: shops[0].domain must end in .myshopify.com, in lower case and without https://',
      'connector.config.dev.ts:2:82: loyalty.address must begin with https:// and a public domain name, without user, password or query',
    ]);
  });

  it('take their settings from another file where the local stack shows more than is deployed', async () => {
    write('connector.config.ts', GOOD);
    write('shown.ts', GOOD.replace(/ }$/, ', storefront: {} }'));
    expect(await loadStages(folder, 'prod', 'shown.ts')).toMatchObject({
      stages: [{ name: 'prod', file: 'shown.ts', connector: { storefront: expect.anything() } }],
    });
  });

  it('are deployed one by one even while another one is faulty', async () => {
    write('connector.config.ts', GOOD);
    write('connector.config.dev.ts', '{}');
    expect(await names('prod')).toEqual(['prod']);
  });

  it('say which there are when the wanted one is not, and which was meant', async () => {
    write('connector.config.ts', GOOD);
    write('connector.config.dev.ts', GOOD);
    expect(await faults('devv')).toEqual([
      `There is no stage "devv": connector.config.devv.ts is not in ${folder}`,
      'Stages: prod, dev. Did you mean dev?',
    ]);
  });

  it('must have a name that AWS takes', async () => {
    write('connector.config.Dev_1.ts', GOOD);
    write('connector.config.prod.ts', GOOD);
    expect(await faults()).toEqual([
      'connector.config.prod.ts must be named connector.config.ts: that is the stage prod',
      'connector.config.Dev_1.ts must have the name of a stage between the dots: up to 20 lower-case letters, digits and hyphens',
    ]);
  });

  it('name a file that exports nothing that was checked', async () => {
    writeFileSync(join(folder, 'connector.config.dev.ts'), `export default ${GOOD};`);
    expect(await faults()).toEqual([
      'connector.config.dev.ts must end in: export default defineConnector({ … })',
    ]);
  });
});
