import type { WaitsFor } from '../../../shared/core/batch/waiting.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { shopsOf } from '../arguments.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { pauseText, readPauses, resumeText } from '../pause/read-pauses.ts';
import type { Session } from '../session.ts';
import { count } from '../status/status-model.ts';
import { readWaiting, type WaitingInShop, wake } from './waiting-messages.ts';

export interface RetryNowOptions {
  readonly shop?: string;
  readonly queue?: QueueFamily;
  readonly reason?: WaitsFor;
}

/** Find what waits → record who → end its wait → say what still holds it. */
export async function retryNow(session: Session, options: RetryNowOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const shops = shopsOf(deployment.connector, options.shop);
  const { queue, reason } = options;
  const recorded = await session.beginChange(deployment);
  const found = await readWaiting(
    deployment,
    shops.map(({ domain }) => domain),
    new Date(),
  );
  const meant = found.filter(
    (one) =>
      (queue === undefined || one.queue === queue) &&
      (reason === undefined || one.waitsFor === reason),
  );
  if (meant.length === 0) {
    const others = found.length === 0 ? '' : ` ${count(found.length, 'other')} wait.`;
    if (json) terminal.json({ woken: 0, gone: 0, left: found.length, pauses: [] });
    else terminal.line(`No such message waits.${others}`);
    return EXIT.fine;
  }
  const { woken, gone } = await wake(deployment, meant);
  recorded.count({ woken: woken.length });
  const pauses = await readPauses(openLedger(deployment), shops, new Date());
  if (json) {
    terminal.json({ woken: woken.length, gone, left: found.length - meant.length, pauses });
    return EXIT.fine;
  }
  terminal.line(wokenText(woken));
  if (gone > 0) terminal.line(`${count(gone, 'other')} had been tried or settled meanwhile.`);
  for (const pause of pauses) {
    terminal.line(`They wait on, because the shop is paused. ${pauseText(pause)}`);
    terminal.line(`  ${nextCommand(deployment, resumeText(pause))}`);
  }
  if (pauses.length === 0)
    terminal.line(`Next, look: ${nextCommand(deployment, 'status --watch')}`);
  return EXIT.fine;
}

/** `11 messages are tried again now: orders 9, coupons 2.` */
export function wokenText(woken: readonly WaitingInShop[], when = 'now'): string {
  const byQueue = [...Map.groupBy(woken, ({ queue }) => queue)];
  const parts = byQueue.map(([queue, messages]) => `${queue} ${messages.length}`);
  const list = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
  return `${count(woken.length, 'message')} ${woken.length === 1 ? 'is' : 'are'} tried again ${when}${list}.`;
}
