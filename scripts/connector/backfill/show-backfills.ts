import type { ExitCode } from '../exit-code.ts';
import { EXIT } from '../exit-code.ts';
import { Problem } from '../problem.ts';
import type { Session } from '../session.ts';
import { relativeTime } from '../terminal/relative-time.ts';
import type { BackfillState } from './backfill-state.ts';
import { openBackfill } from './open-backfill.ts';
import { stateDocument, stateWord } from './report.ts';

export async function showBackfills(
  { terminal, json, findDeployment }: Session,
  id: string | undefined,
  { shop }: { readonly shop?: string },
): Promise<ExitCode> {
  const { backfills, shop: found } = openBackfill(await findDeployment(), shop);
  const names = id === undefined ? await backfills.list() : [id];
  const loaded = await Promise.all(names.map((name) => backfills.load(name)));
  const states = loaded.flatMap((kept) => (kept ? [kept.state] : []));
  if (id !== undefined && states.length === 0) {
    throw new Problem(`There is no backfill "${id}" of ${found.domain}.`);
  }
  if (json) {
    terminal.json({ shop: found.domain, backfills: states.map(stateDocument) });
    return EXIT.fine;
  }
  if (states.length === 0) {
    terminal.line(`No backfill of ${found.domain} was begun.`);
    return EXIT.fine;
  }
  terminal.table({
    columns: [
      { title: 'backfill' },
      { title: 'state' },
      { title: 'sent', align: 'right' },
      { title: 'of', align: 'right' },
      { title: 'left out', align: 'right' },
      { title: 'last' },
    ],
    rows: states.map((state) => rowOf(state, new Date())),
  });
  return EXIT.fine;
}

function rowOf(state: BackfillState, now: Date): string[] {
  const { id, sent, total, unreadable, savedAt } = state;
  return [
    id,
    stateWord(state),
    String(sent),
    total === undefined ? '' : String(total),
    String(unreadable),
    relativeTime(Date.parse(savedAt), now),
  ];
}
