import type { LetterQueue } from '../../../../shared/core/batch/dead-letter.ts';
import { EXIT, type ExitCode } from '../../exit.ts';
import type { Session } from '../../session.ts';
import { createLetterGroups } from '../letter-groups.ts';
import { surveyLetters } from '../list/survey-letters.ts';
import { notSeenText } from '../not-seen.ts';
import { groupsAsJson, showGroups } from '../show-groups.ts';
import { type LetterReader, OBSTACLES, type Obstacle, prepareReplay } from './prepare-replay.ts';
import type { ReplayChoice } from './replay-letters.ts';

/** What a replay would do, without sending or removing anything. */
export async function dryRun(
  session: Session,
  choice: ReplayChoice,
  world: LetterReader & {
    readonly queues: readonly LetterQueue[];
    readonly signal: AbortSignal;
  },
): Promise<ExitCode> {
  const { terminal } = session;
  const groups = createLetterGroups();
  const obstacles = new Map<Obstacle, number>();
  let replayable = 0;
  const progress = terminal.progress('Reading dead letters:');
  const { matching, queues } = await surveyLetters({
    ...world,
    filter: choice.filter,
    most: choice.most,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`, seen / total),
    onMatch(letter) {
      const prepared = prepareReplay(letter, choice, world, new Date());
      if (prepared.kind === 'event') {
        replayable += 1;
        if (replayable <= choice.limit) groups.add(letter);
      } else obstacles.set(prepared.obstacle, (obstacles.get(prepared.obstacle) ?? 0) + 1);
    },
  });
  progress.end();
  const notSeen = queues.reduce((sum, queue) => sum + queue.notSeen, 0);
  const would = Math.min(replayable, choice.limit);
  if (session.json) {
    terminal.json({
      dryRun: true,
      matching,
      wouldReplay: would,
      notSeen,
      cannot: Object.fromEntries(obstacles),
      groups: groupsAsJson(groups.all()),
    });
    return EXIT.fine;
  }
  if (matching === 0) terminal.line('No dead letter matches. Nothing would be sent.');
  else terminal.line(`${would} of ${matching} matching dead letters would be sent again.`);
  if (would > 0) {
    terminal.line();
    showGroups(groups.all(), terminal, new Date());
  }
  for (const [obstacle, count] of obstacles) {
    terminal.line();
    terminal.paragraph(`${count} cannot be replayed: ${OBSTACLES[obstacle]}.`);
  }
  if (notSeen > 0) {
    terminal.line();
    terminal.paragraph(notSeenText(notSeen));
  }
  if (would > 0) {
    terminal.hint(`\n${terminal.style('bold', 'Nothing was sent. Repeat with --yes to do it.')}`);
  }
  return EXIT.fine;
}
