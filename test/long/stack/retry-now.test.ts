import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { runCommand } from '../../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { createProject } from '../../support/project.ts';

const SETTINGS = 'test/fixtures/two-shops.config.ts';
/** Generous: a busy machine must not fail a test that counts. */
const WAIT = { timeout: 180_000, interval: 200 };

interface Line {
  readonly message: string;
  readonly id?: string;
  readonly why?: string;
}

let stack: LocalStack;
let folder = '';
/** What the workers of orders logged. */
const logged: Line[] = [];

beforeAll(async () => {
  stack = await startLocalStack({ settings: SETTINGS });
  stack.logs.onLine(({ functionName, text }) => {
    if (functionName.includes('SyncOrders')) logged.push(JSON.parse(text));
  });
  folder = createProject('retry-now');
  writeStateFile(stack, { stage: 'prod', settings: resolve(PACKAGE_FOLDER, SETTINGS) }, folder);
}, 300_000);
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const order = (id: number) =>
  buildOrder(simpleOrder, {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    updated_at: new Date().toISOString(),
  }).payload;

/** Three orders arrive while the service is away, and the circuit breaker of a worker holds some of them back. */
async function haveOutage(): Promise<void> {
  stack.loyalty.faults.add({ kind: 'outage' });
  for (const id of [1, 2, 3]) {
    expect((await stack.post('orders/create', order(id))).status).toBe(200);
  }
  await vi.waitFor(() => {
    expect(logged.some(({ why }) => why === 'loyalty-unavailable')).toBe(true);
    expect(new Set(logged.map(({ id }) => id)).size).toBeGreaterThanOrEqual(3);
  }, WAIT);
  stack.loyalty.journal.clear();
  logged.length = 0;
}

const sendOrders = () =>
  stack.loyalty.journal.entries().filter(({ operation }) => operation === 'sendOrder').length;

it('retry-now after an outage sends every order by one command and one call, and says so', async () => {
  await haveOutage();
  stack.loyalty.faults.clear();
  const { code, stdout, stderr } = await runCommand(['retry-now', '--wait', '180'], { folder });
  expect(stderr).toBe('');
  expect(stdout).toContain('3 messages are tried again now: orders 3.');
  expect(stdout).toContain('\n  3 sent.\n');
  expect(code).toBe(0);
  expect(sendOrders()).toBe(3);
  expect(logged.filter(({ message }) => message === 'applied')).toHaveLength(3);
  // Nothing waited for a back-off.
  expect(logged.filter(({ message }) => message === 'will be tried again')).toEqual([]);
}, 400_000);
