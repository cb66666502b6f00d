import { readUsed } from '../../../shared/core/redeem/list-redemptions.ts';
import { openBook } from '../../../shared/core/redeem/open-book.ts';
import { type KnownBalance, readBalance } from '../../../shared/core/storefront/read-balance.ts';
import { openShopServices } from '../deployment/shop-services.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { relativeTime } from '../terminal/relative-time.ts';
import { redemptionDocument, redemptionsTable } from './describe-redemption.ts';
import { checkCustomer, openRedemptions, type ShopOption } from './open-redemptions.ts';

export async function showCommand(
  session: Session,
  customer: string,
  options: ShopOption,
): Promise<ExitCode> {
  const { terminal, json } = session;
  const customerId = checkCustomer(customer);
  const opened = await openRedemptions(session, options);
  const shop = opened.shop.domain;
  const { rewards } = openShopServices(opened.deployment);
  const telemetry = {
    count: () => {},
    // What the ledger knows is shown all the same.
    log: (_level: string, message: string) => terminal.note(`${message}.`),
  };
  const book = openBook({ shop, customerId }, opened);
  const [redemptions, balance] = await Promise.all([
    readUsed(book, { store: rewards, telemetry }),
    readBalance(shop, customerId, opened.ledger),
  ]);
  const found = redemptions.toReversed().map((redemption) => ({ customerId, redemption }));
  if (json) {
    terminal.json({
      ...{ shop, customer: customerId, balance },
      redemptions: found.map(redemptionDocument),
    });
  } else {
    terminal.line(`Customer ${customerId} of ${shop}: ${found.length} redemptions.`);
    terminal.line(describeBalance(balance, opened.now()));
    if (found.length > 0) {
      terminal.line();
      terminal.table(redemptionsTable(found, opened.now()));
    }
  }
  return EXIT.fine;
}

/** What pages of the store show, and why they may show nothing. */
function describeBalance({ points, cashback, tier, asOf }: KnownBalance, now: Date): string {
  if (asOf === null) return 'Balance: no point event of this customer has arrived yet.';
  const since = relativeTime(Date.parse(asOf), now);
  return `Balance: ${points} points, ${cashback} cashback, ${tier ?? 'no tier'}, by an event of ${since}.`;
}
