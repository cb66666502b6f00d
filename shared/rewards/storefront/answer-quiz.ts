import { type AskingDeps, askLoyalty, type Unavailable } from '../../core/calls/call-loyalty.ts';
import { expiresAfter, type Ledger, type RecordKey, readEntry } from '../../core/ledger/ledger.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { QuestionAnswer, QuizResult, QuizView } from '../../store/storefront-answers.gen.ts';

export interface QuizAnswers {
  readonly quizId: number;
  readonly answers: readonly QuestionAnswer[];
}

type Answered =
  | { readonly kind: 'answered'; readonly value: QuizResult }
  | { readonly kind: 'not-available' | 'not-the-quiz' | 'refused' }
  /** By an earlier request, or by one at the same time. */
  | { readonly kind: 'being-sent'; readonly afterSeconds: number }
  | Unavailable;

interface QuizDeps extends AskingDeps {
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
  deps: QuizDeps,
): Promise<Answered> {
  const key = quizKey(shop, customerId, given.quizId);
  const claim = await claimQuiz(key, deps.ledger, deps.now());
  if (claim.kind === 'being-sent') return claim;
  const answered = await sendOnce(customerId, given, deps);
  const isOver = answered.kind !== 'unavailable' || !answered.mayHaveHappened;
  if (isOver) await releaseQuiz(key, claim.revision, deps.ledger, deps.now());
  return answered;
}

async function sendOnce(customerId: string, given: QuizAnswers, deps: QuizDeps): Promise<Answered> {
  const listed = await readQuizzes(customerId, deps);
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
    [
      { customerId },
      given.answers.map(({ questionId, optionIds, text }) => ({
        QuizQuestionId: questionId,
        OpenAnswer: text,
        OptionIds: optionIds && [...optionIds],
      })),
    ],
    deps,
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

type Quiz = components['schemas']['Quiz'];

type Listed = { readonly kind: 'answered'; readonly value: readonly QuizView[] } | Unavailable;

/** The quizzes that are open to the customer, those already answered included. */
export async function readQuizzes(customerId: string, deps: QuizDeps): Promise<Listed> {
  const asked = await askLoyalty('listQuizzes', [{ customerId }], deps);
  if (asked.kind === 'unavailable') return asked;
  // A customer whom the service does not know yet has no quizzes.
  const quizzes = asked.kind === 'answered' ? asked.value : [];
  const now = deps.now().getTime();
  return { kind: 'answered', value: quizzes.filter((quiz) => isOpen(quiz, now)).flatMap(viewOf) };
}

/** Without a date, or with one that cannot be read, the service decides. */
function isOpen({ StartDate, EndDate }: Quiz, now: number): boolean {
  return !(Date.parse(StartDate ?? '') > now) && !(Date.parse(EndDate ?? '') < now);
}

function viewOf({ Id: id, ...quiz }: Quiz): readonly QuizView[] {
  if (id === undefined) return [];
  const questions = (quiz.QuestionList ?? []).flatMap(({ Id, Question, Options }) => {
    const options = (Options ?? []).flatMap(({ Id: id, Text: text = '' }) =>
      id === undefined ? [] : [{ id, text }],
    );
    return Id === undefined ? [] : [{ id: Id, text: Question ?? '', options }];
  });
  return [
    {
      id,
      name: quiz.Name ?? '',
      points: quiz.AmountOfPoints ?? 0,
      completed: quiz.IsCompleted === true,
      endsAt: quiz.EndDate ?? null,
      questions,
    },
  ];
}

/**
 * Who is sending a customer's answers to one quiz. The operation takes no key of ours, and what the
 * service does with a second set of answers is not documented: so at most one is on its way at a time.
 *
 *              claim                     the service answered
 *   (free) ─────────────▶ being sent ─────────────────────────▶ (free)
 *     ▲                        │
 *     └── a minute later ──────┘ no answer, or the process died
 *
 * In the ledger, because two clicks reach two processes. `uncertain` means being sent, the version
 * says since when.
 * See docs/decisions/0023-a-redemption-repeats-under-its-key-a-quiz-is-claimed.md.
 */
type QuizClaim =
  | { readonly kind: 'claimed'; readonly revision: number }
  | { readonly kind: 'being-sent'; readonly afterSeconds: number };

/** Longer than an abandoned call may still run at the service. */
const CLAIM_SECONDS = 60;

/** The service knows what was answered; the entry only guards the sending. */
const KEPT_DAYS = 1;

export async function claimQuiz(
  key: RecordKey<'quiz'>,
  ledger: QuizDeps['ledger'],
  now: Date,
): Promise<QuizClaim> {
  const entry = await readEntry(ledger, key);
  const heldMs = entry?.uncertain ? entry.version + CLAIM_SECONDS * 1000 - now.getTime() : 0;
  if (heldMs > 0) return { kind: 'being-sent', afterSeconds: Math.ceil(heldMs / 1000) };
  const written = await ledger.write(key, claimEntry(now, true), entry?.revision);
  return written.kind === 'written'
    ? { kind: 'claimed', revision: written.revision }
    : { kind: 'being-sent', afterSeconds: CLAIM_SECONDS };
}

/** A conflict means that the claim had run out and is another's: theirs stays. */
export async function releaseQuiz(
  key: RecordKey<'quiz'>,
  revision: number,
  ledger: QuizDeps['ledger'],
  now: Date,
): Promise<void> {
  await ledger.write(key, claimEntry(now, false), revision);
}

export function quizKey(shop: string, customerId: string, quizId: number): RecordKey<'quiz'> {
  return { shop, kind: 'quiz', id: `${customerId}/${quizId}` };
}

function claimEntry(now: Date, uncertain: boolean) {
  return { version: now.getTime(), uncertain, outcomes: [], ...expiresAfter(KEPT_DAYS, now) };
}
