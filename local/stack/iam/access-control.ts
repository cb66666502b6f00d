import type { StackDescription } from '../template/stack-description.ts';
import type { RequestContext } from './conditions.ts';
import { type Decision, evaluate } from './evaluate.ts';
import { type Grant, grantsOf } from './grants.ts';
import type { Conditions } from './policy.ts';

export interface AccessQuestion {
  /** A role's name, a service (`events.amazonaws.com`), or `*` for anybody. */
  readonly who: string;
  readonly action: string;
  readonly resource: string;
  readonly context?: RequestContext;
}

/**
 * Everything that the template allows and denies. Grants can be taken away while the stack runs, to
 * see what fails without them.
 */
export class AccessControl {
  readonly #grants: readonly Grant[];
  readonly #queueGrants: readonly Grant[];
  /** With how often each would have allowed what was denied. */
  readonly #removed = new Map<Grant, number>();
  readonly #onDenied: (question: AccessQuestion) => void;
  #denials = 0;
  #firstDenied: AccessQuestion | undefined;

  constructor(
    stack: Pick<StackDescription, 'roles' | 'permissions' | 'queuePolicies'>,
    onDenied: (question: AccessQuestion) => void = () => {},
  ) {
    this.#onDenied = onDenied;
    this.#grants = [
      ...stack.roles.flatMap(({ name, policies }) => grantsOf(name, policies)),
      ...stack.permissions.map(toGrant),
    ];
    this.#queueGrants = stack.queuePolicies.flatMap(({ document }) =>
      grantsOf('queue', [document]),
    );
  }

  decide(question: AccessQuestion): Decision {
    const { who, action, resource, context = {} } = question;
    const inForce = this.#grants.filter((grant) => grant.role === who && !this.#removed.has(grant));
    // There is no TLS on the way to this machine itself; what is asked over it would have it on AWS.
    const request = { action, resource, context: { 'aws:SecureTransport': 'true', ...context } };
    const decision = evaluate(request, inForce, this.#queueGrants);
    if (decision.kind === 'denied') {
      for (const [grant, count] of this.#removed) {
        const wouldAllow = grant.role === who && evaluate(request, [grant]).kind === 'allowed';
        if (wouldAllow) this.#removed.set(grant, count + 1);
      }
      if (!action.startsWith('logs:')) this.#denials += 1;
      this.#firstDenied ??= question;
      this.#onDenied(question);
    }
    return decision;
  }

  /** All that allow something; denials cannot be superfluous in this sense. */
  grants(): readonly Grant[] {
    return this.#grants.filter(({ effect }) => effect === 'Allow');
  }

  /** How often something was denied so far; lost log lines, which nobody waits for, not counted. */
  get denials(): number {
    return this.#denials;
  }

  /** What was denied before anything else, log lines included. */
  get firstDenied(): AccessQuestion | undefined {
    return this.#firstDenied;
  }

  /** How often something was denied that the removed grant would have allowed. */
  missed(grant: Grant): number {
    return this.#removed.get(grant) ?? 0;
  }

  remove(grant: Grant): void {
    this.#removed.set(grant, 0);
  }

  restore(): void {
    this.#removed.clear();
  }
}

/** A permission to invoke a function is a policy on that function. */
function toGrant(permission: StackDescription['permissions'][number]): Grant {
  const { FunctionUrlAuthType: authType, InvokedViaFunctionUrl: viaUrl } = permission.conditions;
  const conditions: Conditions = {
    ...(permission.sourceArn !== undefined && {
      ArnLike: { 'aws:SourceArn': [permission.sourceArn] },
    }),
    ...(authType !== undefined && {
      StringEquals: { 'lambda:FunctionUrlAuthType': [String(authType)] },
    }),
    ...(viaUrl !== undefined && { Bool: { 'lambda:InvokedViaFunctionUrl': [String(viaUrl)] } }),
  };
  return {
    role: permission.principal,
    action: permission.action,
    resource: permission.target,
    effect: 'Allow',
    conditions,
  };
}
