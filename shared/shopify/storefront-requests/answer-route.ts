import type { QuizAnswers } from '../../core/storefront/answer-quiz.ts';
import { bad, isId, type Read, readBody, readObject } from './read-body.ts';
import { badRequest, errorAnswer, jsonAnswer, type Route, unavailable } from './route.ts';

export const answerRoute: Route = {
  method: 'POST',
  for: 'customer',
  parameters: [],
  async answer({ customerId, body, storefront }) {
    const read = readQuizAnswers(body);
    if (read.kind === 'bad') return read.answer;
    const answered = await storefront.answer(customerId, read.value);
    switch (answered.kind) {
      case 'answered':
        return jsonAnswer(answered.value);
      case 'not-available':
        return errorAnswer(409, 'not-available', 'There is no such quiz at the moment.');
      case 'not-the-quiz':
        return badRequest('The answers must be to the questions of this quiz, each once.');
      case 'refused':
        return errorAnswer(409, 'refused', 'The loyalty program did not accept these answers.');
      case 'unavailable':
        if (!answered.mayHaveHappened) return unavailable(answered.afterSeconds);
        return errorAnswer(
          503,
          'unavailable',
          'It is not known yet whether the answers arrived. Look at the quiz again in a minute.',
          answered.afterSeconds,
        );
    }
  },
};

const MAX_ANSWERS = 100;
const MAX_OPTIONS = 50;
const MAX_TEXT_LENGTH = 2_000;

function readQuizAnswers(body: Uint8Array): Read<QuizAnswers> {
  const read = readBody(body, ['quizId', 'answers']);
  if (read.kind === 'bad') return read;
  const { quizId, answers } = read.value;
  if (!isId(quizId)) return bad('quizId must be the number of a quiz.');
  if (!Array.isArray(answers) || answers.length === 0 || answers.length > MAX_ANSWERS) {
    return bad(`answers must be a list of 1 to ${MAX_ANSWERS}.`);
  }
  const list: QuizAnswers['answers'][number][] = [];
  for (const one of answers) {
    const item = readObject(one, ['questionId', 'optionIds', 'text']);
    if (item.kind === 'bad') return item;
    const { questionId, optionIds = null, text = null } = item.value;
    if (!isId(questionId)) return bad('questionId must be the number of a question.');
    if (!isOptions(optionIds)) return bad('optionIds must be a list of numbers, or null.');
    if (!isText(text)) {
      return bad(`text must have at most ${MAX_TEXT_LENGTH} characters, or be null.`);
    }
    list.push({ questionId, optionIds, text });
  }
  return { kind: 'read', value: { quizId, answers: list } };
}

function isOptions(value: unknown): value is readonly number[] | null {
  return (
    value === null || (Array.isArray(value) && value.length <= MAX_OPTIONS && value.every(isId))
  );
}

function isText(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= MAX_TEXT_LENGTH);
}
