import type { QuestionAnswer, Quiz, QuizQuestion } from '../../../program/answers.ts';

/** Option ids, or the text of an open question, by question. */
export type Given = Readonly<Record<number, readonly string[]>>;

export const isUnanswered = ({ id }: QuizQuestion, given: Given): boolean =>
  (given[id] ?? []).join('').trim() === '';

export function readAnswers({ questions }: Quiz, given: Given): readonly QuestionAnswer[] {
  return questions.map(({ id, options }) => {
    const values = given[id] ?? [];
    return options.length === 0
      ? { questionId: id, optionIds: null, text: values.join('').trim() }
      : { questionId: id, optionIds: values.map(Number), text: null };
  });
}
