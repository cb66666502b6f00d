import type { Shop } from '../../../shared/config/connector-config.ts';
import { batchesOf } from '../../../shared/core/batch/run-batch.ts';
import { findShop } from '../arguments.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Compared } from './compare-sides.ts';
import { compare } from './show-comparison.ts';

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

/** Compares every order that the store changed since then; the last line says `in sync: 37 orders`. */
export async function compareOrders(
  session: Session,
  { shop: named, since }: { readonly shop?: string; readonly since: number },
): Promise<ExitCode> {
  const { terminal, json } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, named);
  const counts: Record<Compared['verdict'], number> = { same: 0, different: 0, unknown: 0 };
  const others: { readonly id: string; readonly verdict: string; readonly what: string }[] = [];
  const progress = terminal.progress('Comparing orders:');
  for await (const ids of changedSince(openShopServices(deployment), shop, since)) {
    for (const some of batchesOf(ids, AT_ONCE)) {
      if (signal.aborted) break;
      const compared = await Promise.all(
        some.map(async (id) => {
          const key = { shop: shop.domain, kind: 'order', id } as const;
          return { id, ...(await compare(deployment, shop, key)) };
        }),
      );
      for (const { id, verdict, what } of compared) {
        counts[verdict] += 1;
        if (verdict !== 'same') others.push({ id, verdict, what });
      }
      progress.report(counts.same + others.length);
    }
    if (signal.aborted) break;
  }
  progress.end();
  if (json) terminal.json({ shop: shop.domain, ...counts, orders: others });
  else {
    for (const { id, what } of others) {
      terminal.paragraph(`order ${id}: ${what}`);
      terminal.line(`    ${nextCommand(deployment, `trace order --shop ${shop.domain}`, id)}`);
    }
    const rest = [
      counts.different > 0 && `different: ${counts.different}`,
      counts.unknown > 0 && `cannot tell: ${counts.unknown}`,
    ].filter(Boolean);
    const orders = `${counts.same} ${counts.same === 1 ? 'order' : 'orders'}`;
    const soFar = signal.aborted ? 'stopped; until then ' : '';
    terminal.line([`${soFar}in sync: ${orders}`, ...rest].join(', '));
  }
  if (counts.different > 0) return EXIT.failed;
  return counts.unknown > 0 ? EXIT.cannotTell : EXIT.fine;
}

async function* changedSince(
  { store }: ShopServices,
  { domain }: Shop,
  from: number,
): AsyncGenerator<readonly string[]> {
  const span = { from, until: Date.now() };
  let after: string | undefined;
  do {
    const page = await store.changedOrders(domain, span, after);
    if (page.kind === 'unavailable') {
      throw new Problem(
        `The store could not be read (${page.why}).`,
        'To see why: npx loyalty-connector doctor',
      );
    }
    yield page.value.changed.map(({ id }) => id);
    after = page.value.next;
  } while (after !== undefined);
}
