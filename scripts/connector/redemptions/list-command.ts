import { setTimeout as pause } from 'node:timers/promises';
import { listRecords } from '../../../shared/aws/list-records.ts';
import { recallBook } from '../../../shared/core/redeem/redemption-book.ts';
import { isOpen } from '../../../shared/core/redeem/redemption-state.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { nextCommand } from '../terminal/next-command.ts';
import {
  describeState,
  type FoundRedemption,
  redemptionDocument,
  redemptionsTable,
} from './describe-redemption.ts';
import { type OpenRedemptions, openRedemptions, type ShopOption } from './open-redemptions.ts';

export interface ListOptions extends ShopOption {
  readonly all?: boolean;
}

/** Ends with 1 when something waits for a person. */
export async function listCommand(session: Session, options: ListOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const opened = await openRedemptions(session, options);
  const all = await findRedemptions(opened);
  const found = options.all ? all : all.filter(({ redemption }) => isUnfinished(redemption.state));
  const waiting = found.filter(({ redemption }) => describeState(redemption).waitsForPerson);
  if (json) {
    terminal.json({ shop: opened.shop.domain, redemptions: found.map(redemptionDocument) });
  } else {
    const kind = options.all ? 'redemptions' : 'redemptions that are not at their end';
    terminal.line(`${found.length} ${kind} in ${opened.shop.domain}.`);
    if (found.length > 0) {
      terminal.line();
      terminal.table(redemptionsTable(found, opened.now()));
    }
    const [first] = waiting;
    if (first) {
      const what = `redemptions settle ${first.customerId} ${first.redemption.id} --help`;
      terminal.line();
      terminal.line(`Settle one:  ${nextCommand(opened.deployment, what)}`);
    }
  }
  return waiting.length > 0 ? EXIT.failed : EXIT.fine;
}

const isUnfinished = (state: FoundRedemption['redemption']['state']): boolean =>
  isOpen(state) || state.at === 'compensating';

/** The longest waiting first. */
async function findRedemptions({
  client,
  deployment,
  shop,
  now,
}: OpenRedemptions): Promise<readonly FoundRedemption[]> {
  const table = deployment.output('LedgerTable');
  const settings = { client, table, pause, random: Math.random };
  const books = await listRecords(settings, shop.domain, 'redemption');
  const found = books.flatMap(({ id: customerId, entry }) =>
    recallBook(entry.remembered, now()).redemptions.map((redemption) => ({
      customerId,
      redemption,
    })),
  );
  return found.toSorted((one, other) => one.redemption.since.localeCompare(other.redemption.since));
}
