import type { Session } from '../../session.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { spanText } from '../../terminal/text.ts';
import { countLetters } from '../count-letters.ts';
import { notSeenText } from '../not-seen.ts';
import { groupsAsJson, showGroups } from '../show-groups.ts';
import type { Followed } from './follow-replayed.ts';
import { OBSTACLES } from './prepare-replay.ts';
import type { ReplayTally } from './replay-tally.ts';

interface ReplayReport {
  readonly stack: string;
  readonly tally: ReplayTally;
  /** What SQS counted beyond those that it gave; 0 when the run ended early. */
  readonly notSeen: number;
  readonly elapsedMs: number;
  /** Undefined without --wait. */
  readonly followed: Followed | undefined;
}

/** What was done, in the end or when it was interrupted. */
export function reportReplay({ terminal, json }: Session, report: ReplayReport): void {
  const { tally, notSeen, elapsedMs, followed } = report;
  const { obstacles, ...counts } = tally;
  const perSecond = Math.round(tally.replayed / Math.max(elapsedMs / 1000, 0.001));
  if (json) {
    terminal.json({
      stack: report.stack,
      ...counts,
      notSeen,
      cannot: Object.fromEntries(obstacles),
      seconds: Math.round(elapsedMs) / 1000,
      ...(followed && {
        outcomes: Object.fromEntries(followed.outcomes),
        settled: followed.settled,
        failing: followed.failing,
        underway: followed.underway,
        failures: groupsAsJson(followed.failures),
        each: followed.each.slice(0, MOST_IN_JSON),
      }),
    });
    return;
  }
  const rate = elapsedMs >= 1000 ? ` in ${spanText(elapsedMs)} (${perSecond}/s)` : '';
  terminal.line(terminal.style('bold', `Replayed ${countLetters(tally.replayed)}${rate}.`));
  reportWhatIsLeft(tally, terminal);
  if (tally.backAgain > 0 && !followed) {
    terminal.line(
      `Left ${tally.backAgain}: replayed a moment ago, and dead letters again already.`,
    );
  }
  if (notSeen > 0) terminal.paragraph(notSeenText(notSeen));
  if (followed) reportOutcomes(followed, terminal);
  else if (tally.replayed > 0) {
    terminal.line('The workers have them now; --wait follows them to their outcome.');
  }
}

function reportWhatIsLeft(tally: ReplayTally, { line, paragraph }: Terminal): void {
  for (const [obstacle, count] of tally.obstacles)
    paragraph(`Left ${count}: ${OBSTACLES[obstacle]}.`);
  if (tally.beyondLimit > 0) line(`Left ${tally.beyondLimit} or more: beyond --limit.`);
  if (tally.notReached > 0) line(`Left ${tally.notReached} or more: interrupted.`);
  if (tally.notMatching > 0) line(`Left ${tally.notMatching}: they did not match.`);
}

function reportOutcomes(followed: Followed, terminal: Terminal): void {
  const { outcomes, settled, failing, failures, underway } = followed;
  const parts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`);
  if (settled > 0) parts.push(`${settled} settled with nothing to change`);
  if (parts.length > 0)
    terminal.line(terminal.style('green', `Went through: ${parts.join(', ')}.`));
  if (underway > 0) {
    terminal.line(
      terminal.style(
        'yellow',
        `No outcome yet: ${underway}. The queue is not empty, and the workers go on.`,
      ),
    );
  }
  showEach(followed, terminal);
  if (failing === 0) return;
  terminal.line(terminal.style('red', `Still failing: ${failing}, dead letters again:`));
  terminal.line();
  showGroups(failures, terminal, new Date());
}

/** More than that are counted only. */
const MOST_SHOWN = 20;
const MOST_IN_JSON = 1_000;

function showEach({ each }: Followed, { line, table }: Terminal): void {
  if (each.length < 2 || each.length > MOST_SHOWN) return;
  line();
  table({
    columns: [{ title: 'SENT', shrinks: true }, { title: 'RESULT' }],
    rows: each.map(({ kind, id, result }) => [`${kind} ${id}`, result]),
  });
  line();
}
