import { checkSettings } from '../../../shared/config/settings-check.ts';
import { BadArguments, Problem } from '../exit.ts';
import { askLine } from '../terminal/ask.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Answers } from './project-files.ts';

/** The answers that options gave. */
export interface Given {
  readonly shop?: string;
  readonly loyaltyAddress?: string;
  readonly alarmsEmail?: string;
  readonly region?: string;
}

interface Question {
  readonly of: keyof Given;
  readonly option: string;
  readonly text: string;
  /** Undefined: an answer is needed. */
  readonly unanswered?: string;
  /** What is wrong with an answer, as a sentence without its subject. */
  problem(answer: string): string | undefined;
}

const EXAMPLE = {
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
};
const firstFault = (settings: object): string | undefined =>
  checkSettings({ ...EXAMPLE, ...settings })[0]?.problem;

const QUESTIONS: readonly Question[] = [
  {
    of: 'shop',
    option: '--shop',
    text: 'Permanent domain of the shop (….myshopify.com)',
    problem: (domain) => firstFault({ shops: [{ domain }] }),
  },
  {
    of: 'loyaltyAddress',
    option: '--loyalty-address',
    text: 'Address of the loyalty service (https://…)',
    problem: (address) => firstFault({ loyalty: { address } }),
  },
  {
    of: 'alarmsEmail',
    option: '--alarms-email',
    text: 'E-mail address for alarms (empty: none yet)',
    unanswered: '',
    problem: (email) => (email === '' ? undefined : firstFault({ alarms: { emails: [email] } })),
  },
  {
    of: 'region',
    option: '--region',
    text: 'AWS region (empty: us-east-1)',
    unanswered: 'us-east-1',
    problem: (region) =>
      /^[a-z]{2}(-[a-z]+)+-\d$/.test(region) ? undefined : 'must be one such as eu-west-1',
  },
];

/** Takes what options say, asks for the rest, and repeats a question until its answer is right. */
export async function askAnswers(
  terminal: Terminal,
  given: Given,
  mayAsk: boolean,
): Promise<Omit<Answers, 'name'>> {
  const answers: Record<keyof Given, string> = {
    shop: '',
    loyaltyAddress: '',
    alarmsEmail: '',
    region: '',
  };
  const problems: string[] = [];
  for (const question of QUESTIONS) {
    const option = given[question.of];
    const answer = option ?? (mayAsk ? await ask(question, terminal) : question.unanswered);
    const problem = answer === undefined ? 'is missing' : question.problem(answer);
    if (problem !== undefined) problems.push(`${question.option} ${problem}`);
    answers[question.of] = answer ?? '';
  }
  if (problems.length > 0) throw new BadArguments(`${problems.join('; ')}.`);
  return { ...answers, alarmsEmail: answers.alarmsEmail || undefined };
}

async function ask(question: Question, terminal: Terminal): Promise<string> {
  for (;;) {
    const typed = await askLine(question.text);
    if (typed === undefined) throw new Problem('Nothing was written: the input was cancelled.');
    const answer = typed === '' ? (question.unanswered ?? '') : typed;
    const problem = question.problem(answer);
    if (problem === undefined) return answer;
    terminal.note(`This ${problem}.`);
  }
}
