import { writeFile } from 'node:fs/promises';
import type { Shop } from '../../../shared/config/connector-config.ts';
import {
  type ComparedOrder,
  csvOf,
  groupsOf,
  readChangedOrders,
  totalOf,
} from '../ground/compare/read-orders.ts';
import { findShop } from '../ground/session/arguments.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import {
  type Document,
  text,
  type Verdict,
  type VerdictKind,
  worstOf,
} from '../ground/terminal/document.ts';
import { Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, countedWith } from '../ground/terminal/text.ts';

/** One command line names no more. */
const MOST_SENT = 20;

export interface CompareOptions extends CommonOptions {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly csv?: string;
}

export async function compareOrders(
  session: Session,
  { shop: named, since, csv }: CompareOptions,
): Promise<Document> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, named);
  const asked = { deployment, shop, since, signal };
  const { orders, isStopped } = await readChangedOrders(session, asked);
  if (csv !== undefined) {
    await writeFile(csv, csvOf(orders)).catch((error: NodeJS.ErrnoException) => {
      throw new Problem(`${csv} cannot be written (${error.code}).`);
    });
  }
  const from = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  const title = `Orders of ${shop.domain} that changed since ${from} UTC`;
  const written = text(`Written to ${csv}: ${counted(orders.length, 'order')}.`);
  const document = documentOf(title, shop, orders, isStopped);
  return csv === undefined ? document : { ...document, blocks: [...document.blocks, written] };
}

function documentOf(
  title: string,
  { domain }: Shop,
  compared: readonly ComparedOrder[],
  isStopped: boolean,
): Document {
  const isObserved = compared.some((one) => one.isObserved);
  const orders = compared.filter(({ kind }) => kind !== 'ok');
  const missing = orders.filter(({ isMissing, isUnread }) => isMissing && !isUnread);
  const ids = missing.slice(0, MOST_SENT).map(({ id }) => id);
  const sends = line('resend', ['order', ...ids], { shop: domain, wait: true, yes: true });
  const many = counted(missing.length, 'order');
  const some = ids.length < missing.length ? `the first ${ids.length} of ${many}` : many;
  const traceOf = (id: string) => line('trace', ['order', id], { shop: domain });
  const listed = isObserved ? compared : orders;
  const other = orders.find(({ isMissing }) => !isMissing);
  return {
    title,
    verdict: verdictOf(compared, isStopped),
    blocks: [
      groupsOf(listed, domain),
      text(isObserved && `In all ${totalOf(compared)}. ${OBSERVED}`),
    ],
    next: [
      ...(ids.length > 0 ? [{ label: `Send ${some}`, line: sends }] : []),
      ...(other ? [{ label: `See what happened to ${other.name}`, line: traceOf(other.id) }] : []),
    ],
    data: { shop: domain, agree: compared.length - orders.length, orders: listed },
  };
}

const OBSERVED =
  'Nothing is sent before go-live; "planned" is what would be. The service decides the points.';

function verdictOf(compared: readonly ComparedOrder[], isStopped: boolean): Verdict {
  if (compared.length === 0 && !isStopped) {
    return { kind: 'unknown', what: 'No order changed in the store since then.' };
  }
  const many = (wanted: VerdictKind) => compared.filter(({ kind }) => kind === wanted).length;
  const uncounted = compared.filter(({ isUncounted }) => isUncounted).length;
  const agree = many('ok') - uncounted;
  const parts = [
    countedWith(agree, 'order', 'agree'),
    ...(uncounted > 0 ? [`${uncounted} not counted by us`] : []),
    ...(many('action required') > 0 ? [`${many('action required')} different`] : []),
    ...(many('pending') > 0 ? [`${many('pending')} not sent yet`] : []),
    ...(many('unknown') > 0 ? [`${many('unknown')} unknown`] : []),
    ...(isStopped ? ['stopped before the rest'] : []),
  ];
  const worst = worstOf(compared) ?? 'unknown';
  const kind = isStopped && worst !== 'action required' ? 'unknown' : worst;
  return { kind, what: `${parts.join('; ')}.` };
}
