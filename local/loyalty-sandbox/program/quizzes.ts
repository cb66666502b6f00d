import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call, Fault } from '../call.ts';
import type { CatalogQuestion, CatalogQuiz } from '../catalog.ts';
import { pointType, questionType, unspecified } from './assigned-numbers.ts';
import type { Context } from './context.ts';
import { productInHundredths, toHundredths } from './hundredths.ts';
import { describeFaults, done, type Outcome, type Refusal, refuse } from './outcome.ts';
import { addPoints } from './points.ts';
import { isBlank, readFields } from './read-fields.ts';

interface Answer {
  readonly questionId: number;
  readonly openAnswer: string | null;
  readonly optionIds: readonly number[];
}

/**
 * Errors are what no quiz could accept: 59 unknown customer; 7 a body that cannot be read; 105 a
 * question or option of no quiz, or of several; 108 more answers than questions; 106 no option chosen
 * and 107 more than the question allows. What only this moment or this customer stands in the way of
 * (a closed quiz, an unanswered question, a second try) is an answer without an error and without
 * points: `Success` false.
 */
export function answerQuiz(context: Context, call: Call): Outcome<Schemas['QuizAnswerResult']> {
  const { tables, catalog } = context;
  const customer = tables.customers.get(call.query.customerId ?? '');
  if (!customer) return refuse(59, 'No customer has this customerId.');
  const faults: Fault[] = [...call.faults];
  const answers = readAnswers(call.body, faults);
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  const quiz = catalog.quizzes.find(({ questions }) =>
    questions.some(({ id }) => id === answers[0]?.questionId),
  );
  if (!quiz) return refuse(105, 'No quiz has this question.');
  const wrong = findWrongAnswer(quiz, answers);
  if (wrong) return wrong;

  const unpaid = (Message: string) => done({ Success: false, Message, PointsAwarded: 0 });
  if (!isOpen(context, quiz)) return unpaid('The quiz is not open.');
  if (!customer.IsEnrolled) return unpaid('The customer is not enrolled.');
  if (quiz.questions.some((question) => !isAnswered(question, answers))) {
    return unpaid('Every question must be answered.');
  }
  const key = answerKey(quiz, customer.OriginalId);
  if (tables.quizAnswers.get(key) !== undefined) return unpaid('The quiz was answered before.');

  const { PointId } = addPoints(context, customer, {
    points: toHundredths(quiz.points),
    cashback: productInHundredths(quiz.points, context.settings.cashbackPerPoint),
    type: pointType.quiz,
    source: { kind: 'quiz', quizId: quiz.id },
  });
  tables.quizAnswers.put(key, PointId);
  return done({ Success: true, Message: 'Thank you.', PointsAwarded: quiz.points });
}

function readAnswers(body: unknown, faults: Fault[]): Answer[] {
  if (!Array.isArray(body)) {
    faults.push({ path: '', problem: 'must be an array' });
    return [];
  }
  return body.flatMap((item, i) => {
    const fields = readFields(item, faults, `[${i}]`);
    const questionId = fields?.integer('QuizQuestionId') ?? null;
    const openAnswer = fields?.text('OpenAnswer') ?? null;
    const optionIds = fields?.integers('OptionIds') ?? [];
    if (fields && questionId === null) {
      faults.push({ path: `[${i}].QuizQuestionId`, problem: 'must be given' });
    }
    return questionId === null ? [] : [{ questionId, openAnswer, optionIds }];
  });
}

function findWrongAnswer(
  { questions }: CatalogQuiz,
  answers: readonly Answer[],
): Refusal | undefined {
  for (const { questionId, optionIds } of answers) {
    const question = questions.find(({ id }) => id === questionId);
    if (!question) return refuse(105, 'The answers must be to the questions of one quiz.');
    const options = question.kind === 'choice' ? question.options : [];
    if (!optionIds.every((id) => options.some((option) => option.id === id))) {
      return refuse(105, 'The question has no such option.');
    }
    if (question.kind === 'choice' && optionIds.length === 0) {
      return refuse(106, 'At least one option must be chosen.');
    }
    if (question.kind === 'choice' && new Set(optionIds).size > question.atMost) {
      return refuse(107, 'More options are chosen than the question allows.');
    }
  }
  return answers.length > questions.length
    ? refuse(108, 'There are more answers than questions.')
    : undefined;
}

function isAnswered({ id, kind }: CatalogQuestion, answers: readonly Answer[]): boolean {
  const answer = answers.find(({ questionId }) => questionId === id);
  return answer !== undefined && (kind === 'choice' || !isBlank(answer.openAnswer));
}

/**
 * The quizzes that are open now, for anyone or for one customer (59 when unknown). One that the
 * customer has answered stays in the list, as completed.
 */
export function listQuizzes(
  context: Context,
  { query }: Call,
): Outcome<readonly Schemas['Quiz'][]> {
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

function isOpen({ now }: Context, { start, end }: CatalogQuiz): boolean {
  const time = now().getTime();
  return Date.parse(start) <= time && time <= Date.parse(end);
}

function answerKey({ id }: CatalogQuiz, customerId: string): string {
  return `${id}/${customerId}`;
}
