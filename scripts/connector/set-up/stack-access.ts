import {
  CloudFormation,
  paginateDescribeChangeSet,
  type ResourceChange,
} from '@aws-sdk/client-cloudformation';
import type { AwsSettings } from '../ground/session/deployment.ts';
import { readStack } from '../ground/session/find-deployment.ts';

export type StackAccess = ReturnType<typeof openStackAccess>;

/** Its first change set was not carried out, or failed: CDK makes such a stack anew. */
const NEVER_MADE: ReadonlySet<string> = new Set([
  'REVIEW_IN_PROGRESS',
  'CREATE_FAILED',
  'ROLLBACK_COMPLETE',
  'ROLLBACK_FAILED',
]);

/** What a deployment asks AWS besides CDK's command line, with the credentials of the caller. */
export function openStackAccess(stack: string, aws: AwsSettings) {
  const cloudFormation = new CloudFormation(aws);

  return {
    /** Undefined when there is no such stack; its version is, too, where it is not whole. */
    async find(): Promise<{ readonly version: string | undefined } | undefined> {
      const found = await readStack(aws, stack);
      if (!found || NEVER_MADE.has(found.status)) return undefined;
      return { version: found.outputs.Version };
    },

    /** Lets CDK delete what a failed first deployment left: it is protected from deletion before it is made. */
    async freeFailed(): Promise<void> {
      const found = await readStack(aws, stack);
      if (!found?.isProtected || !NEVER_MADE.has(found.status)) return;
      const unprotected = { StackName: stack, EnableTerminationProtection: false };
      await cloudFormation.updateTerminationProtection(unprotected);
    },

    /** Undefined when the change set changes nothing. */
    async changes(changeSet: string): Promise<readonly ResourceChange[] | undefined> {
      const found: ResourceChange[] = [];
      const asked = { StackName: stack, ChangeSetName: changeSet };
      const pages = paginateDescribeChangeSet({ client: cloudFormation }, asked);
      for await (const { Changes: changes = [], Status: status } of pages) {
        // CDK has reported every other failure.
        if (status === 'FAILED') return undefined;
        found.push(...changes.flatMap(({ ResourceChange: one }) => one ?? []));
      }
      return found;
    },

    async discard(changeSet: string): Promise<void> {
      await cloudFormation.deleteChangeSet({ StackName: stack, ChangeSetName: changeSet });
    },

    async setPolicy(policy: string): Promise<void> {
      await cloudFormation.setStackPolicy({ StackName: stack, StackPolicyBody: policy });
    },
  };
}

interface Judgement {
  /** Sentences about what is replaced or leaves the stack. */
  readonly lines: readonly string[];
  /** Logical ids of what holds state and would be lost to the connector. */
  readonly losses: readonly string[];
}

/** What a prepared change set would replace or delete. */
export function judgeChanges(changes: readonly ResourceChange[]): Judgement {
  const leaving = changes.filter(({ Action: action, Replacement: replacement = 'False' }) => {
    return action === 'Remove' || action === 'Dynamic' || replacement !== 'False';
  });
  return {
    lines: leaving.map(describe),
    losses: leaving.filter(isLoss).map(({ LogicalResourceId: id = '' }) => id),
  };
}

const isKept = ({ PolicyAction: policy }: ResourceChange): boolean =>
  policy === 'Retain' || policy === 'ReplaceAndRetain';

/** Also if it is kept: out of the stack it would stand idle. */
const isLoss = ({ ResourceType: type = '' }: ResourceChange): boolean => STATE.includes(type);

function describe(change: ResourceChange): string {
  const { LogicalResourceId: id, ResourceType: type } = change;
  const after = isKept(change) ? '; the old one is kept, out of the stack' : '';
  const holds = isLoss(change) ? ': HOLDS STATE' : '';
  // `Conditional`: known only while it is carried out.
  const what =
    change.Action === 'Remove'
      ? `${isKept(change) ? 'leaves the stack and is kept' : 'is DELETED'}`
      : `${change.Replacement === 'True' ? 'is' : 'may be'} REPLACED${after}`;
  return `${id} (${type}) ${what}${holds}`;
}

/** Resources that hold what no deployment can make again. */
const STATE = ['AWS::DynamoDB::Table', 'AWS::SQS::Queue', 'AWS::KMS::Key'];

/**
 * CloudFormation refuses every update that would replace or delete what holds state, also one by hand.
 * `except`: logical ids that one deployment may give up.
 */
export function stackPolicy(except: readonly string[] = []): string {
  const named = except.map((id) => `LogicalResourceId/${id}`);
  const deny = (actions: readonly string[], types: readonly string[]) => ({
    Effect: 'Deny',
    Principal: '*',
    Action: actions,
    ...(named.length > 0 ? { NotResource: named } : { Resource: '*' }),
    Condition: { StringEquals: { ResourceType: types } },
  });
  return JSON.stringify({
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' },
      deny(['Update:Replace', 'Update:Delete'], STATE),
    ],
  });
}
