import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { settle } from '../demo/settle.ts';
import { roleNameOf } from '../functions/role-name.ts';
import type { Grant } from '../iam/grants.ts';
import type { RunningStack } from '../running-stack.ts';
import { createFamilies, type Family } from './families.ts';
import { createPatience, Unreached } from './patience.ts';
import { playReconcile } from './reconcile-scenario.ts';
import { familyOfRole, playDeadLetter, playFamily, playLogs, type Scenario } from './scenario.ts';

export type Finding =
  | { readonly kind: 'needed'; readonly grant: Grant; readonly failed: string }
  | { readonly kind: 'superfluous'; readonly grant: Grant; readonly missed: number }
  /** Something failed, but not for want of this grant: a slow machine must not call it needed. */
  | { readonly kind: 'unclear'; readonly grant: Grant; readonly failed: string };

/** How long what a failed run left behind may take to go away. */
const TIDY_MS = 10_000;

/**
 * Takes each grant away in turn and plays what the functions that have it take part in. What fails
 * without a grant needs it; what does not fail means that nothing needs it.
 */
export class GrantCheck {
  readonly #stack: RunningStack;
  readonly #families: readonly Family[];

  constructor(stack: RunningStack) {
    this.#stack = stack;
    this.#families = createFamilies(stack);
  }

  /**
   * Everything, with every grant in place: what fails here, or is denied anything, lacks a grant.
   * Undefined: all is well.
   */
  async findMissing(): Promise<string | undefined> {
    for (const role of this.#roles()) {
      const failed = await this.#play(role);
      if (failed !== undefined) return failed;
      await this.#tidy(role);
    }
    const { firstDenied: denied } = this.#stack.access;
    return denied && `${denied.who} may not ${denied.action} on ${denied.resource}`;
  }

  async check(grant: Grant): Promise<Finding> {
    const { access, functions } = this.#stack;
    const role = this.#roleOf(grant);
    access.remove(grant);
    // What a process remembers (secrets, its log stream) must be asked for again.
    await functions.recycle(role);
    const failed = await this.#play(role);
    const missed = access.missed(grant);
    access.restore();
    await this.#tidy(role);
    if (failed === undefined) return { kind: 'superfluous', grant, missed };
    return { kind: missed > 0 ? 'needed' : 'unclear', grant, failed };
  }

  #roles(): readonly string[] {
    return [...new Set(this.#stack.description.functions.map(roleNameOf))];
  }

  /** Grants of a function's own policy belong to whoever that function is. */
  #roleOf({ role, resource }: Grant): string {
    const target = this.#stack.description.functions.find(
      ({ arn, name }) => arn === resource || name === resource,
    );
    return target ? roleNameOf(target) : role;
  }

  /** Says what could not be reached. */
  async #play(role: string): Promise<string | undefined> {
    const { access, description } = this.#stack;
    const scenario: Scenario = {
      stack: this.#stack,
      patience: createPatience(access),
      startedAt: Date.now(),
    };
    const schedules = description.schedules.filter(({ target }) =>
      description.functions.some(
        (one) => roleNameOf(one) === role && [one.arn, one.name].includes(target),
      ),
    );
    try {
      const family = familyOfRole(this.#stack, this.#families, role, this.#stack.outputs);
      if (schedules.length > 0) await playReconcile(scenario, this.#families, schedules);
      else if (family) await playFamily(scenario, family, role);
      else for (const one of this.#families) await playDeadLetter(scenario, one);
      await playLogs(scenario, role);
      return undefined;
    } catch (error) {
      if (error instanceof Unreached) return error.message;
      throw error;
    }
  }

  /** Nothing of a failed run may reach the next one. */
  async #tidy(role: string): Promise<void> {
    const { functions, description, sqs, loyalty } = this.#stack;
    loyalty.faults.clear();
    await functions.recycle(role);
    for (const { url } of description.queues) {
      await sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    }
    await settle(this.#stack, TIDY_MS);
  }
}
