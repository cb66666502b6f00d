import type { PolicyDocument, Statement } from './policy.ts';

/** The smallest thing that a policy can give: one action on one resource. */
export interface Grant {
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  readonly effect: Statement['effect'];
  readonly conditions: Statement['conditions'];
}

/** A policy's statements, taken apart. */
export function grantsOf(role: string, policies: readonly PolicyDocument[]): readonly Grant[] {
  return policies
    .flatMap(({ statements }) => statements)
    .flatMap(({ actions, resources, effect, conditions }) =>
      actions.flatMap((action) =>
        resources.map((resource) => ({ role, action, resource, effect, conditions })),
      ),
    );
}
