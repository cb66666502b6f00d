import type { SummarizedDeadLetter } from '../../../../shared/core/batch/dead-letter.ts';
import type { QueueFamily } from '../../../../shared/core/events/event.ts';
import { type Deployment, openLedger, openLists } from '../session/deployment.ts';
import { familiesOf } from '../session/queues.ts';
import type { Session } from '../session/session.ts';
import { type Block, type Suggestion, text } from '../terminal/document.ts';
import { line, optionTexts } from '../terminal/line.ts';
import { aboutOf, namesOf } from './describe-letters.ts';
import {
  findDelivered,
  type Known,
  type LetterFilter,
  matchesFilter,
  openLetterQueues,
  optionsOf,
  readSummaries,
} from './read-letters.ts';

export interface LetterList extends Known {
  /** Of all queues, the newest first. */
  readonly letters: readonly SummarizedDeadLetter[];
  readonly matching: readonly SummarizedDeadLetter[];
  readonly queues: readonly {
    readonly family: QueueFamily;
    readonly listed: number;
    /** As SQS counts: at times a minute late. */
    readonly counted: number;
  }[];
}

/** By the summaries and entries in the ledger: none is received. */
export async function readList(
  session: Session,
  deployment: Deployment,
  filter: LetterFilter,
): Promise<LetterList> {
  // Also of those that the filter leaves out: a person must see that others wait.
  const families = familiesOf(deployment.connector);
  const queues = openLetterQueues(deployment, families);
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const progress = session.terminal.progress('Reading dead letters:');
  const all = await readSummaries(openLists(deployment), new Date(), {
    onProgress: (read) => progress.report(read),
  });
  progress.end();
  const letters = all.filter(({ family }) => families.includes(family));
  const delivered = await findDelivered(letters, openLedger(deployment));
  // Only a text can be meant for a name.
  const named = filter.text === undefined ? [] : letters.map(aboutOf);
  const known = { delivered, names: await namesOf(deployment, named) };
  return {
    ...{ letters, ...known },
    matching: letters.filter((letter) => matchesFilter(letter, filter, known)),
    queues: families.map((family, index) => {
      const { visible = 0, inFlight = 0 } = counts[index] ?? {};
      const listed = letters.filter((letter) => letter.family === family).length;
      return { family, listed, counted: visible + inFlight };
    }),
  };
}

export const othersIn = ({ letters, matching }: LetterList): number =>
  letters.length - matching.length;

export const openIn = ({ matching, delivered }: LetterList): readonly SummarizedDeadLetter[] =>
  matching.filter(({ letterId }) => !delivered.has(letterId));

const differs = ({ queues }: LetterList): boolean =>
  queues.some((one) => one.counted !== one.listed);

const MORE_COUNTED = 'a worker died on the message, and SQS moved it there itself';
const FEWER_COUNTED = 'some were removed without this connector';

/** What the list does not have, each in one sentence. */
export function noticesOf(list: LetterList, filter: LetterFilter): readonly Block[] {
  const { letters, matching, queues } = list;
  const others = othersIn(list);
  const waits = others === 1 ? 'other waits' : 'others wait';
  const given = optionTexts(optionsOf(filter)).join(' ');
  const codes = [...new Set(letters.flatMap(({ code }) => code ?? []))].join(', ');
  const has = filter.code === undefined ? '' : ` Codes that there are: ${codes || 'none'}.`;
  const differing = queues.filter((one) => one.counted !== one.listed);
  const each = differing.map(
    (one) => `${one.counted} instead of ${one.listed} in the ${one.family} queue`,
  );
  const causes = new Set(
    differing.map((one) => (one.counted > one.listed ? MORE_COUNTED : FEWER_COUNTED)),
  );
  return [
    ...(matching.length === 0 && others > 0
      ? [text(`No dead letter matches ${given}; ${others} ${waits}.${has}`)]
      : []),
    ...(differs(list)
      ? [
          text(
            `SQS counts ${each.join(', ')}. Its count may be a minute old. Only if it differs for longer, ${[...causes].join(', or ')}: a scan reads the queues and corrects the list.`,
            'waits',
          ),
        ]
      : []),
  ];
}

/** Where the list is not what SQS counts. */
export function scanNext(list: LetterList): readonly Suggestion[] {
  const say =
    'To read the queues and correct the list (meanwhile others cannot receive the dead letters):';
  return differs(list) ? [{ label: 'Scan the queues', line: line('dead-letters scan'), say }] : [];
}
