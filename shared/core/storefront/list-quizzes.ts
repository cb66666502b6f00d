import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type AskingWorld, askLoyalty, type Unavailable } from './ask-loyalty.ts';
import { CLAIM_SECONDS, quizKey, readClaims } from './quiz-claim.ts';
import type { TimedCache } from './timed-cache.ts';

type Quiz = components['schemas']['Quiz'];

export interface QuizView {
  readonly id: number;
  readonly name: string;
  readonly points: number;
  readonly completed: boolean;
  readonly endsAt: string | null;
  readonly questions: readonly QuestionView[];
}

interface QuestionView {
  readonly id: number;
  readonly text: string;
  readonly options: readonly { readonly id: number; readonly text: string }[];
}

export interface QuizzesWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'listQuizzes'>;
  readonly ledger: Pick<Ledger, 'readMany'>;
  /** By customer. */
  readonly quizzes: TimedCache<KnownQuizzes>;
}

/** They hold while no function has claimed one of them since. */
export interface KnownQuizzes {
  readonly value: readonly QuizView[];
  readonly claims: string;
}

type Listed = { readonly kind: 'answered'; readonly value: readonly QuizView[] } | Unavailable;

/** The quizzes that are open to the customer, those already answered included. */
export async function listQuizzes(
  shop: string,
  customerId: string,
  world: QuizzesWorld,
): Promise<Listed> {
  const readAnswers = (quizzes: readonly QuizView[]) =>
    readClaims(
      quizzes.filter(({ completed }) => !completed).map(({ id }) => quizKey(shop, customerId, id)),
      world.ledger,
    );
  const known = world.quizzes.recall(customerId);
  if (known && (await readAnswers(known.value)).revisions === known.claims) {
    return { kind: 'answered', value: known.value };
  }
  const began = world.now().getTime();
  const listed = await readQuizzes(customerId, world);
  if (listed.kind === 'unavailable') return listed;
  const claims = await readAnswers(listed.value);
  // A claim of just now may have been made after the service was asked.
  if (claims.newest < began - CLAIM_SECONDS * 1000) {
    world.quizzes.keep(customerId, { value: listed.value, claims: claims.revisions });
  }
  return listed;
}

/** Asks the service, without the cache. */
export async function readQuizzes(
  customerId: string,
  world: Pick<QuizzesWorld, 'loyalty'> & AskingWorld,
): Promise<Listed> {
  const asked = await askLoyalty(
    'listQuizzes',
    (options) => world.loyalty.listQuizzes({ customerId }, options),
    world,
  );
  if (asked.kind === 'unavailable') return asked;
  // A customer whom the service does not know yet has no quizzes.
  const quizzes = asked.kind === 'answered' ? asked.value : [];
  const now = world.now().getTime();
  return {
    kind: 'answered',
    value: quizzes.filter((quiz) => isOpen(quiz, now)).flatMap(viewOf),
  };
}

/** Without a date, or with one that cannot be read, the service decides. */
function isOpen({ StartDate, EndDate }: Quiz, now: number): boolean {
  return !(Date.parse(StartDate ?? '') > now) && !(Date.parse(EndDate ?? '') < now);
}

function viewOf(quiz: Quiz): readonly QuizView[] {
  if (quiz.Id === undefined) return [];
  const questions = (quiz.QuestionList ?? []).flatMap((question) =>
    question.Id === undefined
      ? []
      : [
          {
            id: question.Id,
            text: question.Question ?? '',
            options: (question.Options ?? []).flatMap(({ Id: id, Text: text = '' }) =>
              id === undefined ? [] : [{ id, text }],
            ),
          },
        ],
  );
  return [
    {
      id: quiz.Id,
      name: quiz.Name ?? '',
      points: quiz.AmountOfPoints ?? 0,
      completed: quiz.IsCompleted === true,
      endsAt: quiz.EndDate ?? null,
      questions,
    },
  ];
}
