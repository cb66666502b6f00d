import type { Template } from 'aws-cdk-lib/assertions';

/** One thing that a role of the stack may do. */
export interface RoleGrant {
  /** The function's construct in the stack: `ReceiveWebhook`. */
  readonly role: string;
  readonly action: string;
  /** In words: `orders queue`, `ledger`, `webhook secrets`. */
  readonly on: string;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** All that the roles of the stack may do, each once. */
export function grantsIn(template: Template): RoleGrant[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const grants = policies.flatMap(([id, { Properties }]) => {
    const role = id.replace(/(?:Receiver|Worker|Reconciler|Function)?RoleDefaultPolicy.*$/, '');
    const statements: readonly Statement[] = Properties.PolicyDocument.Statement;
    return statements.flatMap(({ Action, Resource }) =>
      [Action]
        .flat()
        .flatMap((action) =>
          [Resource].flat().map((resource) => ({ role, action, on: describe(resource) })),
        ),
    );
  });
  const distinct = new Map(grants.map((grant) => [Object.values(grant).join(' '), grant]));
  return [...distinct.values()];
}

/** The logical id of what a statement is about, in words. */
function describe(resource: unknown): string {
  const text = JSON.stringify(resource);
  const id = /"(?:Ref":"|Fn::GetAtt":\[")([A-Za-z0-9]+?)[0-9A-F]{8}"/.exec(text)?.[1] ?? text;
  const purpose = /^Secrets.*(webhook|loyalty|store|points)$/.exec(id)?.[1];
  if (purpose) return `${purpose} secrets`;
  if (id.endsWith('Logs')) return 'its own log';
  if (id.startsWith('LedgerTable'))
    return text.includes('/index/') ? "the ledger's index" : 'the ledger';
  const queue = /^(\w+?)(?:Queue)?(Source|DeadLetters)$/.exec(id);
  if (!queue) return id;
  const name = queue[1]?.toLowerCase();
  return queue[2] === 'Source' ? `the ${name} queue` : `the ${name} dead-letter queue`;
}
