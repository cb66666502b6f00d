import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACE } from '../../local/stack/emulators.ts';
import { requireTool } from '../../scripts/build/require-tool.ts';
import { itemAction, type RecordedQuestion, type RecordedRole } from './instead/recorded-policy.ts';
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
                  'test/long/stack/{closed-redemption,limits,many-shops,week}.test.ts',
                ],
            instead: {
              'local/stack/iam/policy.ts': 'test/foreign/instead/recorded-policy.ts',
              'local/stack/iam/access-control.ts': 'test/foreign/instead/recorded-access.ts',
            },
            environment: { RECORDED_QUESTIONS: file },
            differences: {},
          },
          withBug ? plantedBugs.iam : undefined,
        );
        const lines = readFileSync(file, 'utf8').trim().split('\n');
        const recorded: (RecordedQuestion | RecordedRole)[] = lines.map((line) => JSON.parse(line));
        const questions = recorded.filter((one) => 'request' in one);
        const faults = withBug ? [] : [...calls.faults];
        for (const question of questions) {
          const fault = await compare(question, runSimulation);
          if (fault !== undefined) faults.push(fault);
        }
        const roles = recorded.filter((one) => 'role' in one);
        return { checks: questions.length, faults, notes: neverAsked(roles, questions) };
      },
      stop: async () => rmSync(folder, { recursive: true }),
    };
  },
};

/** Granted, and asked for by no call here. */
const UNASKED = new Set([
  // AWS uses a key in these ways for the caller, and does not say with which call.
  ...['kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
  // The commands call these services, which the local stack answers without a look at the policies.
  ...['cloudformation:DescribeStacks', 'cloudwatch:GetMetricData', 'lambda:GetAccountSettings'],
  ...['sns:ListSubscriptionsByTopic', 'sns:Subscribe'],
]);

/** The other roles, actions and kinds of items that a template grants, and that no call asked for. */
function neverAsked(
  roles: readonly RecordedRole[],
  questions: readonly RecordedQuestion[],
): readonly string[] {
  const asked = new Set(
    questions.flatMap(({ who, request: { action, context } }) => {
      const keys = [context['dynamodb:LeadingKeys'] ?? []].flat();
      return [action, ...keys.map((key) => itemAction(action, key))].map((one) => `${who} ${one}`);
    }),
  );
  const granted = roles.flatMap(({ role, actions }) =>
    actions.filter((action) => !UNASKED.has(action)).map((action) => `${role} ${action}`),
  );
  const never = [...new Set(granted)].filter((one) => !asked.has(one)).sort();
  return [`${never.length} grants that no call asked for:`, ...never.map((one) => `  ${one}`)];
}

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
