import { build } from '../build-element.ts';
import type { View } from '../view.ts';

/** One sentence for whatever could not be read, and a button to try it again. */
export function drawProblem({ model, words, actions }: View): readonly Node[] {
  const { me, earned, rewards, redemptions, quizzes } = model;
  const failed = [me, rewards, redemptions, quizzes, earned].find(
    (asked) => asked?.kind === 'failed' && asked.code !== 'not-logged-in',
  );
  if (failed?.kind !== 'failed') return [];
  return [
    build('p', { part: 'error' }, words.failure(failed)),
    build(
      'button',
      { part: 'button', type: 'button', 'data-key': 'try-again', click: () => actions.reload() },
      words.strings.tryAgain,
    ),
  ];
}
