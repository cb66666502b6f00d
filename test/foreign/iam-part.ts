import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACE } from '../../local/stack/emulators.ts';
import { requireTool } from '../../scripts/build/require-tool.ts';
import type { RecordedQuestion } from './instead/recorded-policy.ts';
import type { Part } from './part.ts';
import { plantedBugs } from './planted-bugs.ts';
import { runSuites } from './run-suites.ts';

interface Answer {
  readonly resultType: 'error' | 'single' | 'wildcard';
  readonly overallResult?: 'Allowed' | 'ExplicitlyDenied' | 'ImplicitlyDenied';
  readonly errors?: { readonly message: string };
  readonly result?: { readonly ignoredContextKeys?: readonly string[] };
}
interface Simulator {
  runSimulation(simulation: object, options: object): Promise<Answer>;
}

/** Every call of the functions and of the operator's commands, as our own evaluation of the policies answered it. */
export const iam: Part = {
  engine: '@cloud-copilot/iam-simulate 0.1.173',
  bug: plantedBugs.iam.bug,
  async open() {
    const { runSimulation } = requireTool(
      'iam-simulate',
      '@cloud-copilot/iam-simulate',
    ) as Simulator;
    const folder = mkdtempSync(join(tmpdir(), 'iam-questions-'));
    return {
      async judge(withBug) {
        const file = join(folder, `questions-${withBug}.jsonl`);
        const calls = await runSuites(
          {
            files: withBug
              ? ['test/integration/stack/end-to-end.test.ts']
              : [
                  'test/integration/stack/end-to-end.test.ts',
                  'test/long/operate/operator-policies.test.ts',
                  'test/long/stack/closed-redemption.test.ts',
                ],
            instead: { 'local/stack/iam/policy.ts': 'test/foreign/instead/recorded-policy.ts' },
            environment: { RECORDED_QUESTIONS: file },
            differences: {},
          },
          withBug ? plantedBugs.iam : undefined,
        );
        const questions = readFileSync(file, 'utf8').trim().split('\n');
        const faults = withBug ? [] : [...calls.faults];
        for (const line of questions) {
          const fault = await compare(JSON.parse(line), runSimulation);
          if (fault !== undefined) faults.push(fault);
        }
        return { checks: questions.length, faults };
      },
      stop: async () => rmSync(folder, { recursive: true }),
    };
  },
};

/** A key's policy must let IAM decide (docs/security.md, "Its key policy"). */
const keyPolicyOf = (resource: string) =>
  resource.startsWith('arn:aws:kms:')
    ? policy([
        {
          Effect: 'Allow',
          Principal: { AWS: `arn:aws:iam::${PLACE.account}:root` },
          Action: 'kms:*',
          Resource: '*',
        },
      ])
    : undefined;

const policy = (some: readonly object[]) => ({ Version: '2012-10-17', Statement: some });

/** What iam-simulate says otherwise; undefined: both agree. */
async function compare(
  { request, statements }: RecordedQuestion,
  runSimulation: Simulator['runSimulation'],
): Promise<string | undefined> {
  const { action, resource, context } = request;
  const written = statements.map((one) => one.written);
  const [ofResource = [], ofCaller = []] = [true, false].map((is) =>
    written.filter((one) => 'Principal' in one === is),
  );
  const answer = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${PLACE.account}:role/caller`,
        action,
        resource: { resource, accountId: PLACE.account },
        contextVariables: context,
      },
      identityPolicies: [{ name: 'caller', policy: policy(ofCaller) }],
      resourcePolicy: keyPolicyOf(resource) ?? policy(ofResource),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  const asked = `${action} on ${resource}`;
  if (answer.resultType === 'error') return `${asked}: ${JSON.stringify(answer.errors)}`;
  const effects = statements.flatMap((one) =>
    one.applies ? [(one.written as { readonly Effect: string }).Effect] : [],
  );
  const ours = effects.includes('Deny')
    ? 'ExplicitlyDenied'
    : effects.includes('Allow')
      ? 'Allowed'
      : 'ImplicitlyDenied';
  return answer.overallResult === ours
    ? undefined
    : `${asked}: ${ours} here, ${answer.overallResult} there`;
}
