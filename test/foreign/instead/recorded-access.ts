import {
  type AccessQuestion,
  type Decision,
  AccessControl as Ours,
} from '../../../local/stack/iam/access-control.ts';
import { nowAsks, record } from './recorded-policy.ts';

export * from '../../../local/stack/iam/access-control.ts';

/** Says who asks, and which actions each role is granted. */
export class AccessControl extends Ours {
  constructor(...[stack, onDenied]: ConstructorParameters<typeof Ours>) {
    super(stack, onDenied);
    for (const { name, statements } of stack.roles) {
      const granted = statements.filter(({ effect }) => effect === 'Allow');
      record({ role: name, actions: granted.flatMap(({ actions }) => actions) });
    }
  }

  override decide(question: AccessQuestion): Decision {
    nowAsks(question.who);
    return super.decide(question);
  }
}
