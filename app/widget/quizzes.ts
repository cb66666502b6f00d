import type { QuestionAnswer, Quiz, QuizQuestion } from '../program/answers.ts';
import { answered } from '../program/program.ts';
import { fill } from '../program/words.ts';
import { build, type Child, type View } from './view.ts';

export function drawQuizzes(view: View): readonly Child[] {
  const quizzes = answered(view.model.quizzes)?.quizzes ?? [];
  if (quizzes.length === 0) return [];
  return [
    build('h2', { part: 'heading' }, view.words.strings.quizzes.heading),
    build('ul', { part: 'list', role: 'list' }, ...quizzes.map((quiz) => drawQuiz(quiz, view))),
  ];
}

function drawQuiz(quiz: Quiz, view: View): Node {
  const { words } = view;
  const { earn, endsAt, completed } = words.strings.quizzes;
  const thanks = view.thanks.get(quiz.id);
  const facts = [
    fill(earn, { points: words.points(quiz.points) }),
    ...(quiz.endsAt === null ? [] : [fill(endsAt, { date: words.date(quiz.endsAt) })]),
  ];
  return build(
    'li',
    { part: 'quiz' },
    build('h3', { part: 'title', tabindex: -1, 'data-key': `quiz-${quiz.id}` }, quiz.name),
    build(
      'p',
      { part: thanks ? 'done' : 'note' },
      quiz.completed ? (thanks ?? completed) : facts.join(' · '),
    ),
    !quiz.completed && drawForm(quiz, view),
  );
}

/** Updates itself: redrawing it would lose what was typed. */
function drawForm(quiz: Quiz, { words, actions }: View): Node {
  const { send, sending, chooseOne } = words.strings.quizzes;
  const questions = quiz.questions.map((question) => drawQuestion(quiz, question));
  const problem = build('p', { part: 'error', role: 'alert', id: `quiz-${quiz.id}-problem` });
  const button = build(
    'button',
    { part: 'button', type: 'submit', 'aria-describedby': problem.id },
    send,
  );
  let isSending = false;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isSending) return;
    const unanswered = questions.find((question) => !question.isAnswered());
    if (unanswered) {
      problem.textContent = chooseOne;
      return unanswered.focus();
    }
    isSending = true;
    button.setAttribute('aria-disabled', 'true');
    button.textContent = sending;
    problem.textContent = '';
    const why = await actions.answer(
      quiz,
      questions.map((question) => question.read()),
    );
    isSending = false;
    button.removeAttribute('aria-disabled');
    button.textContent = send;
    problem.textContent = why ?? '';
  };
  return build(
    'form',
    { part: 'form', submit },
    ...questions.map(({ element }) => element),
    button,
    problem,
  );
}

interface DrawnQuestion {
  readonly element: Node;
  isAnswered(): boolean;
  focus(): void;
  read(): QuestionAnswer;
}

function drawQuestion(quiz: Quiz, { id, text, options }: QuizQuestion): DrawnQuestion {
  if (options.length === 0) {
    const input = build('input', { part: 'input', required: true, maxlength: 500 });
    return {
      element: build('label', { part: 'question' }, text, input),
      isAnswered: () => input.value.trim() !== '',
      focus: () => input.focus(),
      read: () => ({ questionId: id, optionIds: null, text: input.value.trim() }),
    };
  }
  // Several may be right: the service's contract does not show which kinds of questions there are.
  const boxes = options.map((option) =>
    build('input', { type: 'checkbox', name: `quiz-${quiz.id}-${id}`, value: option.id }),
  );
  const labels = options.map((option, i) =>
    build('label', { part: 'option' }, boxes[i], option.text),
  );
  return {
    element: build('fieldset', { part: 'question' }, build('legend', {}, text), ...labels),
    isAnswered: () => boxes.some(({ checked }) => checked),
    focus: () => boxes[0]?.focus(),
    read: () => ({
      questionId: id,
      optionIds: boxes.filter(({ checked }) => checked).map(({ value }) => Number(value)),
      text: null,
    }),
  };
}
