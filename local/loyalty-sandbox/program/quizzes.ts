import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { CatalogQuiz } from '../catalog.ts';
import { questionType, unspecified } from './assigned-numbers.ts';
import type { Context } from './context.ts';
import { done, type Outcome, refuse } from './outcome.ts';
import { isBlank } from './read-fields.ts';

/**
 * The quizzes that are open now, for anyone or for one customer (59 when unknown). One that the
 * customer has answered stays in the list, as completed.
 */
export function listQuizzes(
  context: Context,
  { query }: Call,
): Outcome<readonly components['schemas']['Quiz'][]> {
  const customerId = isBlank(query.customerId) ? undefined : query.customerId;
  if (customerId !== undefined && !context.tables.customers.get(customerId)) {
    return refuse(59, 'No customer has this customerId.');
  }
  return done(
    context.catalog.quizzes
      .filter((quiz) => isOpen(context, quiz))
      .map((quiz) => ({
        Id: quiz.id,
        Name: quiz.name,
        StartDate: quiz.start,
        EndDate: quiz.end,
        IsCompleted:
          customerId !== undefined &&
          context.tables.quizAnswers.get(answerKey(quiz, customerId)) !== undefined,
        QuestionList: quiz.questions.map((question) => ({
          Id: question.id,
          Question: question.text,
          Type: questionType[question.kind],
          Options:
            question.kind === 'open'
              ? []
              : question.options.map(({ id, text }) => ({ Id: id, Text: text, Type: unspecified })),
        })),
        AmountOfPoints: quiz.points,
      })),
  );
}

export function isOpen({ now }: Context, { start, end }: CatalogQuiz): boolean {
  const time = now().getTime();
  return Date.parse(start) <= time && time <= Date.parse(end);
}

export function answerKey({ id }: CatalogQuiz, customerId: string): string {
  return `${id}/${customerId}`;
}
