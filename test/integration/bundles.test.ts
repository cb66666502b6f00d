import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleWidget } from '../../app/build/build-app.ts';
import {
  type Bundles,
  bundleFunctions,
  FUNCTIONS,
  functionsOf,
} from '../../infra/bundle-functions.ts';
import { SCRIPT_KB } from '../../local/harness/cost.ts';
import storefrontSettings from '../../local/harness/storefront.config.ts';
import { createEmfTelemetry } from '../../shared/aws/emf-telemetry.ts';
import { VERSION } from '../../shared/config/release.ts';
import { persons } from '../fixtures/persons.ts';
import { findSecrets } from '../support/disclosure.ts';

const STOREFRONT = functionsOf(storefrontSettings).filter(
  (name) => !FUNCTIONS.some((other) => other === name),
);
const root = resolve('.');
const SETTINGS = 'test/fixtures/project/connector.config.ts';
const folder = mkdtempSync(join(tmpdir(), 'connector-bundles-'));
const stageFile = join(folder, 'connector.config.dev.ts');
afterAll(() => rmSync(folder, { recursive: true }));

function bundle(outFolder: string, configFile = SETTINGS): Promise<Bundles> {
  return bundleFunctions({
    ...{ platforms: ['shopify'], storefront: false },
    functions: FUNCTIONS,
    configFile,
    outFolder: join(folder, outFolder),
  });
}

let bundles: Bundles;
beforeAll(async () => {
  bundles = await bundle('prod');
});

/** Of all files, also those that are loaded later. */
function codeOf(name: string, from = bundles): string {
  const files = readdirSync(from.folderOf(name)).filter((file) => file.endsWith('.js'));
  return files.map((file) => readFileSync(join(from.folderOf(name), file), 'utf8')).join('\n');
}

/**
 * What every cold start loads. A little above what they are, so that growth is a decision: raise a number
 * only together with the reason for it.
 */
const MOST_KILOBYTES: Readonly<Record<ReturnType<typeof functionsOf>[number], number>> = {
  // 0.4 less, in all of them, before all clients shared their connections, and 1.3 in reconcile before shops had turns.
  // 0.2 less, in all of them, before a flood of refused requests was sampled; 13 before Flow and store credit had settings.
  // 13.3 before the receiver asked the platform of a shop; the settings of another platform are 0.1 in all of them.
  announce: 40,
  'receive-webhook': 14,
  // 57.8 before challenges had fields, refunds their transactions and waits their wake-ups.
  // 61.1 and 63.7 before the amount of an order came with its steps.
  // 61.9 before a busy shop left workers to the others, 62.9 before a shop could be observed.
  // 64.4 before the same bytes redacted once, and orders were looked for by redactions and by other ids.
  // 64.8 before codes that only some buyers get were left out, 64.9 before the report of expiring points.
  // 65.1 before cashback could become store credit and codes be taken back: redemptions have further states.
  // 66.5 before orders told store credit apart; 2.2 more where the store is loaded from the start: it replays accounts.
  // 66.9 before a discount's own event ended the codes that it has lost.
  // 67.2 before an order forgot a customer who was redacted since, 67.9 before it was an account with the store's book.
  // 68.0 in each before what few of their events need was loaded with the first call of it.
  'sync-orders': 52,
  'sync-products': 54.7,
  'sync-coupons': 56.6,
  // 64.5 before one scan of the ledger was for all shops, and older orders were read in turn.
  // 66.6 before codes followed the store's Rollouts; the same made it 0.9 more in `sync-balances`, which has the store.
  // 68 before it looked for points that expire, 68.8 before the store could give store credit and read its accounts.
  // 72.5 before customers were compared, and shops of several platforms were asked as one.
  // 73.6 before its scan of the ledger erased what redactions did not name.
  // 75.7 before one comparison served commands, too.
  reconcile: 76.8,
  'receive-points': 14.8,
  // 60.3 before a busy shop left workers to the others.
  // 61.2 before it told Shopify Flow of changes.
  // 63.4 before it gave store credit, and looked for it in accounts; 65.6 before rewards could be taken back.
  // 69.4 before codes remembered their customers, 72.4 before shops that need no place began first.
  'sync-balances': 72.5,
  // 44.3 before a challenge had a transaction and asked for a phone number or an e-mail address.
  // 45.8 before wrong PINs were counted by user.
  // A storefront of the merchant's own as a fourth caller: 1.2 more.
  // 48.8 before workflows could give points.
  // 50.6 before cashback could become store credit, 51.8 before rewards could be taken back.
  // 56.7 before all that it starts with was one file.
  // 54.9 before codes had the digits of the shop's currency.
  // 56.2 before what a visit does not need was loaded with the first call of it.
  storefront: 41.5,
};

const gzipKilobytes = (name: string, from = bundles) =>
  gzipSync(readFileSync(from.startFileOf(name))).length / 1024;

describe('the bundles', () => {
  it('the receiver holds what it needs to verify, identify and enqueue, and no reader', () => {
    const inputs = bundles.startSourcesOf('receive-webhook');
    expect(inputs.filter((input) => input.includes('@shopify/shopify-api'))).toEqual([]);
    expect(inputs.filter((input) => input.includes('/valibot/'))).toEqual([]);
  });

  it.each(['sync-orders', 'sync-products', 'sync-coupons'])(
    '%s starts with what an event needs, and loads the store, tasks and errors with the first call of them',
    (name) => {
      const inputs = bundles.startSourcesOf(name);
      expect(inputs).toContain('shared/core/batch/run-batch.ts');
      expect(inputs).not.toContain('shared/shopify/admin/client/admin-client.ts');
      expect(inputs).not.toContain('shared/loyalty/error-codes.ts');
      expect(inputs).not.toContain('shared/core/sync/observe-entity.ts');
      const later = readdirSync(bundles.folderOf(name));
      expect(later).toContainEqual(expect.stringMatching(/^configured-store-.*\.js$/));
    },
  );

  it('the storefront starts with what a visit needs, and loads a redemption and every schema later', async () => {
    const { startSourcesOf } = await bundleFunctions({
      ...{ platforms: ['shopify'], storefront: true, functions: ['storefront'] },
      configFile: 'local/harness/storefront.config.ts',
      outFolder: join(folder, 'visit'),
    });
    const inputs = startSourcesOf('storefront');
    expect(inputs).toContain('shared/rewards/storefront/read-view.ts');
    for (const later of ['redemption', 'find-offer', 'make-code']) {
      expect(inputs).not.toContain(`shared/rewards/redeem/${later}.ts`);
    }
    expect(inputs).not.toContain('shared/loyalty/error-codes.ts');
    expect(inputs.filter((input) => input.includes('/valibot/'))).toEqual([]);
  });

  it('the widget’s script is not larger than the cost of a flood is computed with', async () => {
    const script = await bundleWidget();
    expect(script.length / 1_000 + 0.5).toBeLessThan(SCRIPT_KB.text);
    // With its headers.
    const zipped = gzipSync(script, { level: 9 });
    expect(zipped.length / 1_000 + 0.5).toBeLessThan(SCRIPT_KB.compressed);
  });

  it.each(FUNCTIONS)('%s holds no check of settings: the build has made them', (name) => {
    expect(bundles.startSourcesOf(name)).not.toContain('shared/config/settings-check.ts');
  });

  it('hold no more than they did, and nothing of the SDK', async () => {
    const all = await bundleFunctions({
      ...{ platforms: ['shopify'], storefront: true },
      functions: functionsOf(storefrontSettings),
      configFile: 'local/harness/storefront.config.ts',
      outFolder: join(folder, 'storefront'),
    });
    for (const name of functionsOf(storefrontSettings)) {
      expect.soft(gzipKilobytes(name, all), name).toBeLessThan(MOST_KILOBYTES[name]);
      const sdk = all.startSourcesOf(name).filter((input) => /@(?:aws-sdk|smithy)\//.test(input));
      expect.soft(sdk, name).toEqual([]);
    }
  });

  it('hold the parts of every platform that a shop has, and of no other', async () => {
    const [name] = ['receive-webhook'] as const;
    const platforms = (from: Bundles) =>
      ['shared/shopify/', 'shared/vendure/'].map((folder) =>
        from.startSourcesOf(name).some((input) => input.startsWith(folder)),
      );
    const both = await bundleFunctions({
      ...{ platforms: ['shopify', 'vendure'], storefront: false },
      ...{ functions: [name], configFile: SETTINGS },
      outFolder: join(folder, 'both'),
    });
    expect([platforms(bundles), platforms(both)]).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  it('hold nothing of points and rewards without a storefront, also not in what is loaded later', async () => {
    const ofRewards = (name: string, from: Bundles) => {
      const files = readdirSync(from.folderOf(name)).filter((file) => file.endsWith('.map'));
      expect(files.length).toBeGreaterThan(0);
      return files
        .map((file) => JSON.parse(readFileSync(join(from.folderOf(name), file), 'utf8')))
        .flatMap(({ sources }: { readonly sources: readonly string[] }) => sources)
        .filter((source) => source.includes('shared/rewards/'));
    };
    for (const name of FUNCTIONS) expect.soft(ofRewards(name, bundles), name).toEqual([]);
    const withStorefront = await bundleFunctions({
      ...{ platforms: ['shopify'], storefront: true, functions: ['sync-orders', 'reconcile'] },
      configFile: 'local/harness/storefront.config.ts',
      outFolder: join(folder, 'rewards'),
    });
    for (const name of ['sync-orders', 'reconcile']) {
      expect.soft(ofRewards(name, withStorefront), name).not.toEqual([]);
    }
  });

  it.each(FUNCTIONS)('%s is CommonJS and starts inside of a package of modules', (name) => {
    const module = JSON.stringify(bundles.folderOf(name));
    const code = `const { handler } = require(${module}); console.log(typeof handler, handler.length, process.moduleLoadList.some((name) => name.includes('undici')))`;
    const environment = Object.fromEntries(
      [
        'ORDERS_QUEUE_URL',
        'PRODUCTS_QUEUE_URL',
        'COUPONS_QUEUE_URL',
        'SOURCE_QUEUE_URL',
        'DEAD_LETTER_QUEUE_URL',
        'LEDGER_TABLE',
        'SECRETS_PREFIX',
        'METRICS_NAMESPACE',
        'WEBHOOK_ADDRESS',
        'WORKERS',
      ].map((variable) => [variable, 'https://example.com/set']),
    );
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const options = { env: { ...environment, AWS_REGION: 'us-east-1' }, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, ['-e', code], options);
    const [type, parameters, undici] = printed.trim().split(' ');
    expect(type).toBe('function');
    // What loads it is fetch, or node:http as a module: 30 to 45 ms of a cold start.
    expect(undici).toBe('false');
    // With a third one, nodejs24.x takes it for a handler with a callback and refuses it.
    expect(Number(parameters)).toBeLessThan(3);
    expect(codeOf(name)).not.toMatch(/\bimport\(/);
  });

  it('name the version in their logs', () => {
    for (const name of FUNCTIONS) expect(codeOf(name)).toContain(`"${VERSION}"`);
  });

  it('have their source maps beside them, which no cold start reads', () => {
    for (const name of FUNCTIONS) {
      const files = readdirSync(bundles.folderOf(name)).filter((file) => file.endsWith('.js'));
      const beside = ['package.json', ...files.flatMap((file) => [file, `${file}.map`])];
      expect(readdirSync(bundles.folderOf(name)).toSorted()).toEqual(beside.toSorted());
      expect(codeOf(name)).not.toContain('sourceMappingURL');
    }
  });

  it('log a crash with its places in the source', () => {
    const inFolder = (file: string) => join(bundles.folderOf('sync-orders'), file);
    const files = readdirSync(bundles.folderOf('sync-orders')).filter((one) => one.endsWith('.js'));
    const placeOf = (text: string) => {
      const file = files.find((one) => readFileSync(inFolder(one), 'utf8').includes(text)) ?? '';
      const lines = readFileSync(inFolder(file), 'utf8').split('\n');
      const line = lines.findIndex((code) => code.includes(text));
      return `${inFolder(file)}:${line + 1}:${(lines[line]?.indexOf(text) ?? -1) + 1}`;
    };
    const written: string[] = [];
    const settings = { namespace: 'n', service: 'sync-orders', monitoring: 'full' } as const;
    const telemetry = createEmfTelemetry(settings, (line) => void written.push(line));
    // The second is of a file that is loaded later, the third of one that is loaded when it is called.
    const [first, later] = [
      placeOf('not set in the function'),
      placeOf('the shop is only observed'),
    ];
    const called = placeOf('The service gave no message');
    const stack = `at f (${first}) < at g (${later}) < at h (${called}) < at node:internal/y:1:2`;
    telemetry.log('error', 'an invocation broke off', { stack });
    expect(JSON.parse(written[0] ?? '').stack).toMatch(
      /^at f \(functions\/wiring\.ts:\d+:\d+\) < at g \(shared\/shopify\/admin\/admin-store\.ts:\d+:\d+\) < at h \(shared\/loyalty\/read-error\.ts:\d+:\d+\) < at node:internal\/y:1:2$/,
    );
  });

  it('hold no credential, no personal data and no path of this machine, the widget’s included', async () => {
    const storefront = await bundleFunctions({
      ...{ platforms: ['shopify'], storefront: true },
      functions: STOREFRONT,
      configFile: 'local/harness/storefront.config.ts',
      outFolder: join(folder, 'storefront'),
    });
    const codes = [
      ...FUNCTIONS.map((name) => codeOf(name)),
      ...STOREFRONT.map((name) => codeOf(name, storefront)),
    ];
    for (const code of codes) {
      expect(findSecrets(code)).toEqual([]);
      expect(code).not.toContain(root);
      for (const { email, last_name } of Object.values(persons)) {
        expect(code).not.toContain(email);
        expect(code).not.toContain(last_name);
      }
    }
  });

  it('hold few packages, and only with licences that were looked at', () => {
    const bundled = new Set(
      FUNCTIONS.flatMap((name) => bundles.startSourcesOf(name)).flatMap(
        (input) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? [],
      ),
    );
    const licenses = [...bundled].map((name) => {
      const { license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
      return [name, license];
    });
    expect(Object.fromEntries(licenses)).toEqual({
      '@middy/core': 'MIT',
      valibot: 'MIT',
    });
  });

  it('are the same bytes wherever and whenever they are built', async () => {
    const again = await bundle('elsewhere');
    for (const name of FUNCTIONS) {
      for (const file of readdirSync(bundles.folderOf(name))) {
        const text = readFileSync(join(bundles.folderOf(name), file), 'utf8');
        expect(readFileSync(join(again.folderOf(name), file), 'utf8')).toBe(text);
        expect(text).not.toContain(root);
      }
    }
  });

  it('carry the settings of their own stage', async () => {
    const settings = readFileSync(SETTINGS, 'utf8')
      .replaceAll('../../../shared', `${root}/shared`)
      .replaceAll('example-store', 'dev-store');
    writeFileSync(stageFile, settings);
    const dev = await bundle('dev', stageFile);
    for (const name of FUNCTIONS) {
      expect(codeOf(name, dev)).toContain('dev-store.myshopify.com');
      expect(codeOf(name, dev)).not.toContain('example-store');
      expect(codeOf(name)).toContain('example-store.myshopify.com');
    }
  });

  it('reconcile holds no worker: it sends what it finds', () => {
    const inputs = bundles.startSourcesOf('reconcile');
    expect(inputs).toContain('shared/core/reconcile/reconcile.ts');
    expect(inputs).not.toContain('shared/core/batch/run-batch.ts');
    expect(inputs).not.toContain('shared/rewards/balances/settle-balances.ts');
  });
});
