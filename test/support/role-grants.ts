import type { Template } from 'aws-cdk-lib/assertions';

/** One thing that a role of the stack may do. */
export interface RoleGrant {
  /** The function: `receive-webhook`. */
  readonly role: string;
  readonly action: string;
  /** In words: `orders queue`, `ledger`, `webhook secrets`. */
  readonly on: string;
}

/** By the construct that creates them. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  ReceiveWebhook: 'receive-webhook',
  SyncOrders: 'sync-orders',
  SyncProducts: 'sync-products',
  SyncCoupons: 'sync-coupons',
  Reconcile: 'reconcile',
  Announce: 'announce',
  Balances: 'receive-points',
  BalancesSync: 'sync-balances',
  StorefrontProxy: 'storefront',
};

interface Grant {
  readonly action: string;
  readonly resource: unknown;
  /** `order and member items of `, or nothing. */
  readonly condition: string;
}

interface PolicyResource {
  readonly Properties: {
    readonly PolicyDocument: { readonly Statement: readonly Readonly<Record<string, unknown>>[] };
  };
}

/** What a policy grants. Throws for a statement of another kind: what it denies is no grant. */
function grantsOfPolicy({ Properties }: PolicyResource): Grant[] {
  return Properties.PolicyDocument.Statement.flatMap(
    ({ Effect, Action, Resource, Condition, Sid: _, ...others }) => {
      if (Effect !== 'Allow' || Object.keys(others).length > 0) {
        throw new Error(`not a grant: ${JSON.stringify({ Effect, Action, ...others })}`);
      }
      const condition = Condition === undefined ? '' : keysIn(Condition);
      const resources = [Resource].flat();
      return [Action]
        .flat()
        .flatMap((action) =>
          resources.map((resource) => ({ action: String(action), resource, condition })),
        );
    },
  );
}

/** The kinds of ledger items that a statement is limited to, in words. Throws for another condition. */
function keysIn(condition: unknown): string {
  const { 'ForAllValues:StringLike': like, ...others } = Object(condition);
  const { 'dynamodb:LeadingKeys': keys, ...more } = Object(like);
  if (Object.keys({ ...others, ...more }).length > 0) {
    throw new Error(`not a condition on keys: ${JSON.stringify(condition)}`);
  }
  const kinds = [keys].flat().map((key) => String(key).replace(/\|\*$/, ''));
  return `${kinds.join(' and ')} items of `;
}

/** Everything that the roles of the stack may do, each once. */
export function grantsIn(template: Template): RoleGrant[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const grants = policies.flatMap(([id, policy]) => {
    const construct = id.replace(
      /(?:Receiver|Worker|Reconciler|Announcer)?RoleDefaultPolicy.*$/,
      '',
    );
    const role = FUNCTIONS[construct] ?? construct;
    return grantsOfPolicy(policy as PolicyResource).map(({ action, resource, condition }) => ({
      ...{ role, action, on: condition + describe(resource, role) },
    }));
  });
  const distinct = new Map(grants.map((grant) => [Object.values(grant).join(' '), grant]));
  return [...distinct.values()];
}

/** The logical id of a statement's resource, in words. */
function describe(resource: unknown, role: string): string {
  const text = JSON.stringify(resource);
  const id = /"(?:Ref":"|Fn::GetAtt":\[")([A-Za-z0-9]+?)[0-9A-F]{8}"/.exec(text)?.[1] ?? text;
  const purpose = /\/\*\/(webhook|loyalty|store|points)-\?{6}"/.exec(text)?.[1];
  if (purpose) return `${purpose} secrets`;
  if (resource === '*') return 'everything';
  if (text.includes(':event-bus/')) return 'the event bus';
  if (id.endsWith('Logs')) return 'its own log';
  if (id.startsWith('LedgerTable'))
    return text.includes('/index/') ? "the ledger's index" : 'the ledger';
  const queue = /^(\w+?)(?:Queue)?(Source|DeadLetters)$/.exec(id);
  if (!queue) return id;
  const name = queue[1]?.toLowerCase();
  const whose = role === `sync-${name}` ? 'its own' : `the ${name}`;
  return queue[2] === 'Source' ? `${whose} queue` : `${whose} dead-letter queue`;
}
