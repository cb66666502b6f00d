import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { Problem } from '../problem.ts';
import type { Deployment } from './deployment.ts';

type Unanswered = Exclude<AdminAnswer<never>, { kind: 'data' }>;

/** Why the store did not do what it was asked, for the person at the keyboard. */
export function storeProblem(answer: Unanswered, { where }: Pick<Deployment, 'where'>): Problem {
  if (answer.kind === 'user-errors') {
    const fields = answer.errors.map(({ field, code }) => [field, code].filter(Boolean).join(' '));
    return new Problem(`The store refuses it: ${fields.join(', ') || 'without a reason'}.`);
  }
  return storeProblemFrom(unavailable(answer).why, where);
}

export function storeProblemFrom(why: string, where: Deployment['where']): Problem {
  const scope = /^access-denied-(.+)$/.exec(why)?.[1];
  if (scope !== undefined) {
    return new Problem(
      `The app lacks the access scope ${scope.replaceAll('-', '_')}.`,
      'Add it to the app in Shopify, have the shop accept it, and repeat the command.',
    );
  }
  switch (why) {
    case 'no-credentials':
    case 'bad-credentials':
    case 'unauthorized':
    case 'forbidden':
      return new Problem(
        `The store does not accept the credentials of the connector (${why}).`,
        'Set them: npx loyalty-connector secrets set store. The doctor shows more: npx loyalty-connector doctor.',
      );
    case 'credentials-unreachable':
      return new Problem(
        'The credentials of the store cannot be read from Secrets Manager at the moment.',
        'Repeat the command in a minute.',
      );
    case 'connection':
    case 'time-out':
      return new Problem(
        'The store does not answer.',
        where === 'local'
          ? 'Is "npm start" still running?'
          : 'Check the network, then repeat the command.',
      );
    case 'throttled':
      return new Problem(
        'The store is limiting how fast it may be asked.',
        'Wait a minute and repeat the command; nothing was changed by the question that failed.',
      );
    default:
      return new Problem(
        `The store does not answer as it should (${why}).`,
        'Repeat the command; if it stays, run: npx loyalty-connector doctor.',
      );
  }
}
