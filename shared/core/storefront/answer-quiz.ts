import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { askLoyalty, type Unavailable } from './ask-loyalty.ts';
import { type QuizView, type QuizzesWorld, readQuizzes } from './list-quizzes.ts';
import { claimQuiz, quizKey, releaseQuiz } from './quiz-claim.ts';

export interface QuizAnswers {
  readonly quizId: number;
  readonly answers: readonly {
    readonly questionId: number;
    readonly optionIds: readonly number[] | null;
    readonly text: string | null;
  }[];
}

interface AnswerResult {
  readonly accepted: boolean;
  readonly points: number;
  readonly message: string;
}

export type Answered =
  | { readonly kind: 'answered'; readonly value: AnswerResult }
  | { readonly kind: 'not-available' }
  | { readonly kind: 'not-the-quiz' }
  | { readonly kind: 'refused' }
  | Unavailable;

export interface AnsweringWorld extends QuizzesWorld {
  readonly loyalty: Pick<LoyaltyClient, 'listQuizzes' | 'answerQuiz'>;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
}

/**
 * Claim → read the quiz → send once → release. Nothing is sent a second time automatically. When the
 * outcome is not known the claim stays for a minute; the next attempt first reads whether the quiz is
 * completed.
 */
export async function answerQuiz(
  shop: string,
  customerId: string,
  given: QuizAnswers,
  world: AnsweringWorld,
): Promise<Answered> {
  const key = quizKey(shop, customerId, given.quizId);
  const claim = await claimQuiz(key, world.ledger, world.now());
  if (claim.kind === 'being-sent') {
    return { kind: 'unavailable', afterSeconds: claim.afterSeconds, mayHaveHappened: true };
  }
  const answered = await sendOnce(customerId, given, world);
  world.quizzes.forget(customerId);
  const isOver = answered.kind !== 'unavailable' || !answered.mayHaveHappened;
  if (isOver) await releaseQuiz(key, claim.revision, world.ledger, world.now());
  return answered;
}

async function sendOnce(
  customerId: string,
  given: QuizAnswers,
  world: AnsweringWorld,
): Promise<Answered> {
  const listed = await readQuizzes(customerId, world);
  if (listed.kind === 'unavailable') return { ...listed, mayHaveHappened: false };
  const quiz = listed.value.find(({ id }) => id === given.quizId);
  if (!quiz) return { kind: 'not-available' };
  if (quiz.completed) {
    const value = { accepted: false, points: 0, message: 'This quiz was answered before.' };
    return { kind: 'answered', value };
  }
  if (!fits(given, quiz)) return { kind: 'not-the-quiz' };
  const asked = await askLoyalty(
    'answerQuiz',
    (options) =>
      world.loyalty.answerQuiz(
        { customerId },
        given.answers.map(({ questionId, optionIds, text }) => ({
          QuizQuestionId: questionId,
          OpenAnswer: text,
          OptionIds: optionIds && [...optionIds],
        })),
        options,
      ),
    world,
  );
  if (asked.kind !== 'answered') return asked.kind === 'refused' ? { kind: 'refused' } : asked;
  const { Success, PointsAwarded, Message } = asked.value;
  const accepted = Success === true;
  return {
    kind: 'answered',
    value: { accepted, points: accepted ? (PointsAwarded ?? 0) : 0, message: Message ?? '' },
  };
}

/** Every answer is to a question of this quiz, once, with options of that question. */
function fits({ answers }: QuizAnswers, { questions }: QuizView): boolean {
  const asked = new Set(answers.map(({ questionId }) => questionId));
  if (asked.size < answers.length) return false;
  return answers.every(({ questionId, optionIds }) => {
    const question = questions.find(({ id }) => id === questionId);
    return (
      question && (optionIds ?? []).every((one) => question.options.some(({ id }) => id === one))
    );
  });
}
