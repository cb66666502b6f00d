import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { startLocalStack } from '../../support/local-stack.ts';
import { installPython } from '../install.ts';
import type { Judgement, Part } from '../part.ts';
import { functionsContract } from './functions-contract.ts';
import { startSigningFront } from './signing-front.ts';

const LOYALTY = join(PACKAGE_FOLDER, 'shared/loyalty/openapi.yaml');
const CREDENTIALS = { token: 'token', key: 'key' };
/** No 5xx, and no status, content type, header or body that the contract does not have. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** Generated requests, valid and not, to the loyalty sandbox and to the functions. */
export const contract: Part = {
  engine: 'schemathesis 4.32.5',
  bug: 'a field of a view has another name than in the contract',
  async open() {
    const program = join(await installPython(), 'schemathesis');
    const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
    const sandbox = await startLoyaltySandbox({ settings: { credentials: CREDENTIALS } });
    const stack = await startLocalStack({
      settings: 'test/fixtures/high-limits.config.ts',
    });
    const { actions } = stack.store;
    const email = 'robin.sampleson@example.com';
    const { id } = actions.createCustomer({ firstName: 'Robin', lastName: 'Sampleson', email });
    const line = { title: 'Lamp', price: 600, quantity: 1 };
    const order = actions.placeOrder({ customerId: id, lines: [line], payment: 'paid' });
    actions.fulfilOrder({ orderId: order.id });
    await stack.settled();
    const front = await startSigningFront(stack, id);
    const functions = join(folder, 'functions.json');
    writeFileSync(functions, JSON.stringify(functionsContract));
    // A function's address takes no other methods; a preflight has its own tests.
    const methods = 'unexpected-methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]';
    writeFileSync(join(folder, 'schemathesis.toml'), `[phases.coverage]\n${methods}\n`);
    const ask = (file: string, url: string, options: readonly string[]) =>
      runSchemathesis(program, folder, [
        ...['run', file, '--url', url, '--max-examples', '20', '--seed', '1'],
        ...['--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join(','), ...options],
      ]);
    const login = ['--auth', `${CREDENTIALS.token}:${CREDENTIALS.key}`];
    return {
      async judge(withBug) {
        if (withBug) {
          const file = join(folder, 'broken.json');
          writeFileSync(file, readFileSync(functions, 'utf8').replaceAll('needsChallenge', 'pin'));
          return ask(file, front.endpoint, ['--include-operation-id', 'account view']);
        }
        const ofSandbox = await ask(LOYALTY, sandbox.address, login);
        const ofFunctions = await ask(functions, front.endpoint, []);
        const problems = stack.problems.map((problem) => `the stack: ${problem}`);
        return {
          checks: ofSandbox.checks + ofFunctions.checks,
          faults: [...ofSandbox.faults, ...ofFunctions.faults, ...problems],
        };
      },
      async stop() {
        for (const part of [front, stack, sandbox]) await part.stop();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

function runSchemathesis(
  program: string,
  folder: string,
  options: readonly string[],
): Promise<Judgement> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...options, '--no-color'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const [, generated = '0'] = /(\d+) generated/.exec(printed) ?? [];
      resolve({ checks: Number(generated), faults: code === 0 ? [] : [printed] });
    });
  });
}
