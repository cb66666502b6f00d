import {
  CloudFormation,
  paginateDescribeChangeSet,
  paginateListStackResources,
  type ResourceChange,
} from '@aws-sdk/client-cloudformation';
import { ResourceNotFoundException, SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { AwsSettings } from '../deployment/deployment.ts';
import { readStack } from '../deployment/find-deployment.ts';

export interface FoundStack {
  /** Undefined for a stack that is not whole, such as one that only adopted secrets so far. */
  readonly version: string | undefined;
}

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
  const secrets = new SecretsManager(aws);

  return {
    /** Undefined when there is no such stack. */
    async find(): Promise<FoundStack | undefined> {
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

    /** The logical ids of the resources that it has. */
    async resourceIds(): Promise<ReadonlySet<string>> {
      const ids = new Set<string>();
      const pages = paginateListStackResources({ client: cloudFormation }, { StackName: stack });
      for await (const { StackResourceSummaries: found = [] } of pages) {
        for (const { LogicalResourceId: id = '' } of found) ids.add(id);
      }
      return ids;
    },

    /** Undefined when there is no secret of this name. */
    async secretArn(name: string): Promise<string | undefined> {
      try {
        const { ARN, DeletedDate } = await secrets.describeSecret({ SecretId: name });
        return DeletedDate ? undefined : ARN;
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
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

/** A secret that leaves the stack keeps its name and its value; a table or queue would stand idle. */
function isLoss(change: ResourceChange): boolean {
  const { ResourceType: type = '', Action: action } = change;
  if (!holdsState(type)) return false;
  return !(isSecret(type) && action === 'Remove' && isKept(change));
}

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
const SECRET = 'AWS::SecretsManager::Secret';

const holdsState = (type: string): boolean => type === SECRET || STATE.includes(type);
export const isSecret = (type: string): boolean => type === SECRET;

/**
 * CloudFormation refuses every update that would replace or delete what holds state, also one by hand. A secret
 * may leave the stack, because it is retained. `except`: logical ids that one deployment may give up.
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
      deny(['Update:Replace'], [SECRET]),
    ],
  });
}
