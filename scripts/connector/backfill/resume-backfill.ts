import type { ExitCode } from '../exit-code.ts';
import { EXIT } from '../exit-code.ts';
import { Problem } from '../problem.ts';
import type { Session } from '../session.ts';
import { nextCommand } from '../terminal/next-command.ts';
import { carryOn } from './carry-on.ts';
import { openBackfill } from './open-backfill.ts';
import type { PaceOptions } from './options.ts';

export async function resumeBackfill(
  session: Session,
  id: string,
  options: PaceOptions,
): Promise<ExitCode> {
  const deployment = await session.findDeployment();
  const open = openBackfill(deployment, options.shop);
  const kept = await open.backfills.load(id);
  if (!kept) {
    throw new Problem(
      `There is no backfill "${id}" of ${open.shop.domain}.`,
      `See those that there are: ${nextCommand(deployment, 'backfill status')}`,
    );
  }
  if (kept.state.finishedAt !== undefined) {
    session.terminal.line(`It is finished: ${kept.state.sent} were sent.`);
    return EXIT.fine;
  }
  return carryOn(session, open, kept, options);
}
