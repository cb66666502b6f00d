import { useSignal } from '@preact/signals';
import type { Quiz, QuizQuestion } from '../../../program/answers.ts';
import { fill } from '../../../program/words.ts';
import type { Account } from './account.ts';
import { type Given, isUnanswered, readAnswers } from './quiz-answers.ts';
import { choicesOf, Note, textOf } from './rewards.tsx';

interface Props {
  readonly account: Account;
  readonly quizzes: readonly Quiz[];
}

export function Quizzes({ account, quizzes }: Props) {
  if (quizzes.length === 0) return null;
  return (
    <s-section heading={account.words.strings.quizzes.heading}>
      <s-stack gap="large">
        {quizzes.map((quiz) => (
          <OneQuiz key={quiz.id} account={account} quiz={quiz} />
        ))}
      </s-stack>
    </s-section>
  );
}

interface QuizProps {
  readonly account: Account;
  readonly quiz: Quiz;
}

function OneQuiz({ account, quiz }: QuizProps) {
  const { words, notes } = account;
  const { earn, endsAt, completed } = words.strings.quizzes;
  const facts = [
    fill(earn, { points: words.points(quiz.points) }),
    ...(quiz.endsAt === null ? [] : [fill(endsAt, { date: words.date(quiz.endsAt) })]),
  ];
  const note = notes.get(`quiz-${quiz.id}`);
  return (
    <s-stack gap="small">
      <s-heading>{quiz.name}</s-heading>
      <s-text color="subdued">{quiz.completed ? completed : facts.join(' · ')}</s-text>
      {!quiz.completed && <Form account={account} quiz={quiz} />}
      <Note note={note} otherwise="" />
    </s-stack>
  );
}

function Form({ account, quiz }: QuizProps) {
  const { send, sending, chooseOne } = account.words.strings.quizzes;
  const given = useSignal<Given>({});
  const isChecked = useSignal(false);
  const isSending = useSignal(false);
  const isMissing = (question: QuizQuestion) => isUnanswered(question, given.value);
  const submit = async () => {
    isChecked.value = true;
    if (isSending.value || quiz.questions.some(isMissing)) return;
    isSending.value = true;
    await account.answer(quiz, readAnswers(quiz, given.value));
    isSending.value = false;
  };
  return (
    <s-form onSubmit={() => void submit()}>
      <s-stack gap="base" alignItems="start">
        {quiz.questions.map((question) => (
          <Question
            key={question.id}
            question={question}
            given={given.value[question.id] ?? []}
            error={isChecked.value && isMissing(question) ? chooseOne : ''}
            onGiven={(values) => {
              given.value = { ...given.value, [question.id]: values };
            }}
          />
        ))}
        <s-button type="submit" loading={isSending.value}>
          {isSending.value ? sending : send}
        </s-button>
      </s-stack>
    </s-form>
  );
}

interface QuestionProps {
  readonly question: QuizQuestion;
  readonly given: readonly string[];
  readonly error: string;
  readonly onGiven: (values: readonly string[]) => void;
}

function Question({ question, given, error, onGiven }: QuestionProps) {
  const { text, options } = question;
  if (options.length === 0) {
    return (
      <s-text-field
        label={text}
        value={given[0] ?? ''}
        error={error}
        maxLength={500}
        required
        onInput={(event) => onGiven([textOf(event)])}
      />
    );
  }
  // Several may be right: the service's contract does not show which kinds of questions there are.
  return (
    <s-choice-list
      label={text}
      multiple
      values={[...given]}
      error={error}
      onChange={(event) => onGiven(choicesOf(event))}
    >
      {options.map((option) => (
        <s-choice key={option.id} value={String(option.id)}>
          {option.text}
        </s-choice>
      ))}
    </s-choice-list>
  );
}
