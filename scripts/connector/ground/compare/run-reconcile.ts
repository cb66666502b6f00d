import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { DeepCourse } from '../../../../shared/core/reconcile/deep-scan.ts';
import { quietUntil } from '../../../../shared/core/reconcile/dependencies.ts';
import {
  type LastReconcile,
  readLastReconcile,
} from '../../../../shared/core/reconcile/last-reconcile.ts';
import type { ReconcileRequest } from '../../../../shared/core/reconcile/reconcile.ts';
import { type Deployment, openLedger } from '../session/deployment.ts';
import type { Session } from '../session/session.ts';
import { momentText } from '../terminal/text.ts';

export type IsOurs = (last: LastReconcile) => boolean;

const EVERY_MS = 2_000;

/** The function ends after 15 minutes, and AWS may start it late. */
const PATIENCE_MS = 17 * 60_000;

/** Starts a run and waits until it has ended for all shops, or long enough; returns how it is recognised. */
export async function runReconcile(
  { terminal }: Session,
  deployment: Deployment,
  domains: readonly string[],
  signal: AbortSignal,
  asked: Omit<ReconcileRequest, 'request'> = {},
): Promise<IsOurs> {
  const request = randomUUID();
  const askedAt = Date.now();
  await new LambdaClient(deployment.aws).send(
    new InvokeCommand({
      FunctionName: deployment.output('ReconcileFunction'),
      // A run may take a quarter of an hour.
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify({ request, ...asked })),
    }),
  );
  // A run of the schedule that began later replaces the record, and says the same.
  const isOurs: IsOurs = (last) => last.request === request || Date.parse(last.beganAt) > askedAt;
  const ledger = openLedger(deployment);
  const progress = terminal.progress('Shops compared, in 15 minutes at most:', domains.length);
  const endMs = performance.now() + PATIENCE_MS;
  while (!signal.aborted && performance.now() < endMs) {
    const runs = await Promise.all(domains.map((domain) => readLastReconcile(ledger, domain)));
    const ended = runs.filter((last) => last && isOurs(last)).length;
    progress.report(ended);
    if (ended === domains.length) break;
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
  progress.end();
  return isOurs;
}

const PHASES: Readonly<Record<DeepCourse['phase'], string>> = {
  ledger: 'deletions',
  product: 'products',
  discount: 'codes',
  order: 'orders',
};

/** Of everything: what was read since when, and by when the rest is. A large shop's is nearly always under way. */
export function courseText({ began, phase, turn }: DeepCourse, now: Date): string {
  const at = (moment: number) => momentText(new Date(moment).toISOString(), now);
  const deep = `A deep scan is under way since ${at(began)}, now at ${PHASES[phase]}; every run goes on.`;
  if (!turn) return deep;
  const day = (moment: number) => new Date(moment).toISOString().slice(0, 10);
  const rest = turn.ends === undefined ? 'when is not known yet' : `by about ${day(turn.ends)}`;
  return `${deep} Each reads the recent orders again, and older ones in turn: since ${day(turn.began)} those that changed last before ${day(turn.readUntil)} were read; the others follow, ${rest}.`;
}

export const untilOf = ({ beganAt }: Pick<LastReconcile, 'beganAt'>, now: Date) =>
  momentText(new Date(quietUntil(new Date(beganAt))).toISOString(), now);

export const stopsOf = ({ stopped, deep }: LastReconcile) => [
  ...stopped,
  ...(deep?.stopped ? [deep.stopped] : []),
];
