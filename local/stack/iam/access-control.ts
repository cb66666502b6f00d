import type {
  Encrypted,
  PermissionDescription,
  StackDescription,
} from '../template/describe-resources.ts';
import { applies, type RequestContext, type Statement } from './policy.ts';

export interface AccessQuestion {
  /** A role's name, a service (`events.amazonaws.com`), or `*` for an anonymous caller. */
  readonly who: string;
  readonly action: string;
  readonly resource: string;
  /** Of a call to DynamoDB: the items or keys in it. */
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  readonly context?: RequestContext;
}

export type Decision =
  | { readonly kind: 'allowed' }
  | {
      readonly kind: 'denied';
      readonly why: 'no identity-based policy allows it' | 'an explicit deny';
    };

const READING = ['kms:Decrypt'];
const WRITING = ['kms:Decrypt', 'kms:GenerateDataKey'];
/** "Key management" of SQS, "Encryption at rest" of DynamoDB; other calls need no key. Secrets are not encrypted here. */
const KEY_USES: ReadonlyMap<string, readonly string[]> = new Map([
  ['sqs:ReceiveMessage', READING],
  ['sqs:SendMessage', WRITING],
  ...['BatchGetItem', 'Query', 'Scan'].map((name) => [`dynamodb:${name}`, READING] as const),
  ...['PutItem', 'UpdateItem', 'PartiQLInsert'].map(
    (name) => [`dynamodb:${name}`, WRITING] as const,
  ),
]);

/** Decides what the template's policies allow and deny, within one account. */
export class AccessControl {
  readonly #statements = new Map<string, readonly Statement[]>();
  readonly #queueDenials: readonly Statement[];
  readonly #partitionKeys: ReadonlyMap<string, string>;
  readonly #encrypted: readonly Encrypted[];
  readonly #onDenied: (question: AccessQuestion) => void;
  #isRevoked: (question: AccessQuestion) => boolean = () => false;

  constructor(
    stack: Pick<StackDescription, 'roles' | 'permissions' | 'queuePolicies' | 'tables'> &
      Partial<Pick<StackDescription, 'queues'>>,
    onDenied: (question: AccessQuestion) => void = () => {},
  ) {
    this.#onDenied = onDenied;
    this.#partitionKeys = new Map(stack.tables.map(({ arn, partitionKey }) => [arn, partitionKey]));
    const { queues = [], tables } = stack;
    this.#encrypted = [...queues, ...tables].filter(({ keyArn }) => keyArn);
    for (const { name, statements } of stack.roles) this.#statements.set(name, statements);
    for (const permission of stack.permissions) {
      const { principal } = permission;
      const others = this.#statements.get(principal) ?? [];
      this.#statements.set(principal, [...others, toStatement(permission)]);
    }
    // Only roles grant access here: queue policies exist to deny requests without TLS.
    this.#queueDenials = stack.queuePolicies.filter(({ effect }) => effect === 'Deny');
  }

  /** The call itself, and the use of the key that it needs. */
  decide(question: AccessQuestion): Decision {
    for (const one of [question, ...this.#keyUses(question)]) {
      const decision = this.#evaluate(one);
      if (decision.kind === 'denied') {
        this.#onDenied(one);
        return decision;
      }
    }
    return { kind: 'allowed' };
  }

  /** A service uses the key with the permissions of its caller. */
  #keyUses({ who, action, resource }: AccessQuestion): readonly AccessQuestion[] {
    const found = this.#encrypted.find(({ arn }) => `${resource}/`.startsWith(`${arn}/`));
    const [, , service, region] = resource.split(':');
    const context = { 'kms:ViaService': `${service}.${region}.amazonaws.com` };
    return (found ? (KEY_USES.get(action) ?? []) : []).map((use) => ({
      ...{ who, action: use, resource: found?.keyArn ?? '', context },
    }));
  }

  /** From now on denies what the given function selects, as if no policy allowed it. */
  revoke(isRevoked: (question: AccessQuestion) => boolean): void {
    this.#isRevoked = isRevoked;
  }

  restore(): void {
    this.#isRevoked = () => false;
  }

  #evaluate(question: AccessQuestion): Decision {
    const { who, action, resource, items = [] } = question;
    const context = { ...this.#leadingKeys(resource, items), ...question.context };
    // Calls to the loopback address have no TLS; on AWS the same calls would have it.
    const request = { action, resource, context: { 'aws:SecureTransport': 'true', ...context } };
    const own = this.#statements.get(who) ?? [];
    const effects = [...own, ...this.#queueDenials]
      .filter((statement) => applies(statement, request))
      .map(({ effect }) => effect);
    if (effects.includes('Deny')) return { kind: 'denied', why: 'an explicit deny' };
    return effects.includes('Allow') && !this.#isRevoked(question)
      ? { kind: 'allowed' }
      : { kind: 'denied', why: 'no identity-based policy allows it' };
  }

  /** The condition key for the partition keys of the items ("Condition keys for Amazon DynamoDB"). */
  #leadingKeys(table: string, items: NonNullable<AccessQuestion['items']>): RequestContext {
    const name = this.#partitionKeys.get(table);
    if (name === undefined || items.length === 0) return {};
    const values = items.map((item) => Object.values(Object(item[name])).map(String));
    return { 'dynamodb:LeadingKeys': values.flat() };
  }
}

/** A permission to invoke a function is a policy on that function. */
function toStatement({ action, target, sourceArn, conditions }: PermissionDescription): Statement {
  const { FunctionUrlAuthType: authType, InvokedViaFunctionUrl: viaUrl } = conditions;
  return {
    effect: 'Allow',
    actions: [action],
    resources: [target],
    conditions: {
      ...(sourceArn !== undefined && { ArnLike: { 'aws:SourceArn': [sourceArn] } }),
      ...(authType !== undefined && {
        StringEquals: { 'lambda:FunctionUrlAuthType': [String(authType)] },
      }),
      ...(viaUrl !== undefined && { Bool: { 'lambda:InvokedViaFunctionUrl': [String(viaUrl)] } }),
    },
  };
}
