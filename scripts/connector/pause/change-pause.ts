import type { WaitsFor } from '../../../shared/core/batch/waiting.ts';
import {
  changeControl,
  resumed,
  type ShopControl,
  withOperatorPause,
} from '../../../shared/core/calls/shop-pause.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { shopsOf } from '../arguments.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { readCaller } from '../deployment/read-caller.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { wokenTexts } from '../retry-now/retry-now.ts';
import type { Session } from '../session.ts';
import { type PauseStatus, pausesIn, pauseText } from './read-pauses.ts';
import { readWaiting, wake } from './waiting-messages.ts';

export interface PauseOptions {
  readonly shop?: string;
  readonly queue?: QueueFamily;
  readonly yes?: boolean;
}

/** Confirm → record who → write the control record of every shop that is meant. */
export async function pauseCommand(session: Session, options: PauseOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const shops = domainsOf(deployment, options);
  const what = `${options.queue ? `the queue ${options.queue}` : 'all calls'} of ${shops.join(', ')}`;
  if (!options.yes && !(await terminal.confirm(`Pause ${what}?`))) {
    const next = nextCommand(deployment, commandLine('pause', { ...options, yes: true }));
    if (json) terminal.json({ changed: false, shops, next });
    else terminal.line(`Nothing was changed. This would pause ${what}:\n  ${next}`);
    return EXIT.failed;
  }
  const { arn } = await readCaller(deployment.aws);
  const documents = await change(session, deployment, shops, (control, now) =>
    withOperatorPause(control, options.queue ?? 'all', arn, now),
  );
  if (json) terminal.json({ changed: true, shops: documents });
  return EXIT.fine;
}

/** End the pauses → wake what waited for their end. */
export async function resumeCommand(session: Session, options: PauseOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const { queue } = options;
  const deployment = await session.findDeployment();
  const shops = domainsOf(deployment, options);
  const documents = await change(session, deployment, shops, (control, now) =>
    resumed(control, queue ?? 'all', now),
  );
  const waiting = await readWaiting(deployment, shops, new Date());
  const meant = waiting.filter((one) =>
    queue === undefined
      ? WAITED_FOR_RESUME.has(one.waitsFor)
      : one.queue === queue && one.waitsFor === 'paused',
  );
  const { woken } = await wake(deployment, meant);
  if (json) terminal.json({ changed: true, shops: documents, woken: woken.length });
  else if (woken.length > 0) wokenTexts(woken).forEach(terminal.line);
  return EXIT.fine;
}

/** What `resume` without a queue ends. */
const WAITED_FOR_RESUME: ReadonlySet<WaitsFor> = new Set(['paused', 'throttled', 'misconfigured']);

const domainsOf = ({ connector }: Deployment, { shop }: PauseOptions) =>
  shopsOf(connector, shop).map(({ domain }) => domain);

async function change(
  session: Session,
  deployment: Deployment,
  shops: readonly string[],
  next: (control: ShopControl, now: Date) => ShopControl,
) {
  const { terminal, json } = session;
  const recorded = await session.beginChange(deployment);
  const ledger = openLedger(deployment);
  const now = new Date();
  const documents: { shop: string; pauses: readonly PauseStatus[] }[] = [];
  for (const shop of shops) {
    const control = await changeControl(ledger, shop, (found) => next(found, now));
    const pauses = pausesIn(shop, control, now);
    documents.push({ shop, pauses });
    recorded.count({ shops: documents.length });
    if (json) continue;
    if (pauses.length === 0) terminal.line(`${shop}: not paused`);
    for (const pause of pauses) terminal.line(pauseText(pause));
  }
  return documents;
}

function commandLine(name: string, { shop, queue, yes }: PauseOptions): string {
  const given = [shop && `--shop ${shop}`, queue && `--queue ${queue}`, yes && '--yes'];
  return [name, ...given.filter(Boolean)].join(' ');
}
