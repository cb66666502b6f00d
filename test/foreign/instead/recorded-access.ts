import {
  type AccessQuestion,
  type Decision,
  AccessControl as Ours,
} from '../../../local/stack/iam/access-control.ts';
import type { Statement } from '../../../local/stack/iam/policy.ts';
import { itemAction, nowAsks, record } from './recorded-policy.ts';

export * from '../../../local/stack/iam/access-control.ts';

/** Says who asks, and which actions each role is granted, with the kind of item where a grant names kinds. */
export class AccessControl extends Ours {
  constructor(...[stack, onDenied]: ConstructorParameters<typeof Ours>) {
    super(stack, onDenied);
    for (const { name, statements } of stack.roles) {
      const granted = statements.filter(({ effect }) => effect === 'Allow');
      record({ role: name, actions: granted.flatMap(actionsIn) });
    }
  }

  override decide(question: AccessQuestion): Decision {
    nowAsks(question.who);
    return super.decide(question);
  }
}

/** `dynamodb:PutItem order`. */
function actionsIn({ actions, conditions }: Statement): readonly string[] {
  const keys = conditions['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  return keys ? actions.flatMap((action) => keys.map((key) => itemAction(action, key))) : actions;
}
