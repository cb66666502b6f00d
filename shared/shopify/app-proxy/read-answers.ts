import type { QuizAnswers } from '../../core/storefront/answer-quiz.ts';
import { badRequest, type ProxyAnswer } from './proxy-answer.ts';
import { isId, readBody, readObject } from './read-fields.ts';

type Answer = QuizAnswers['answers'][number];

const MOST_ANSWERS = 100;
const MOST_OPTIONS = 50;
const LONGEST_TEXT = 2_000;

export type ReadAnswers =
  | { readonly kind: 'read'; readonly answers: QuizAnswers }
  | { readonly kind: 'bad'; readonly answer: ProxyAnswer };

/** The body of `POST answer`. */
export function readAnswers(body: Uint8Array): ReadAnswers {
  const read = readBody(body, ['quizId', 'answers']);
  if (read.kind === 'bad') return read;
  const { quizId, answers } = read.fields;
  if (!isId(quizId)) return bad('quizId must be the number of a quiz.');
  if (!Array.isArray(answers) || answers.length === 0 || answers.length > MOST_ANSWERS) {
    return bad(`answers must be a list of 1 to ${MOST_ANSWERS}.`);
  }
  const list: Answer[] = [];
  for (const one of answers) {
    const item = readObject(one, ['questionId', 'optionIds', 'text']);
    if (item.kind === 'bad') return item;
    const { questionId, optionIds = null, text = null } = item.fields;
    if (!isId(questionId)) return bad('questionId must be the number of a question.');
    if (!isOptions(optionIds)) return bad('optionIds must be a list of numbers, or null.');
    if (!isText(text)) return bad(`text must have at most ${LONGEST_TEXT} characters, or be null.`);
    list.push({ questionId, optionIds, text });
  }
  return { kind: 'read', answers: { quizId, answers: list } };
}

function isOptions(value: unknown): value is readonly number[] | null {
  return (
    value === null || (Array.isArray(value) && value.length <= MOST_OPTIONS && value.every(isId))
  );
}

function isText(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= LONGEST_TEXT);
}

function bad(message: string): ReadAnswers {
  return { kind: 'bad', answer: badRequest(message) };
}
