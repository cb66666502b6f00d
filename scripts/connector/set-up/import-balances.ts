import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import { customerWith } from '../ground/compare/find.ts';
import { createPace } from '../ground/compare/send.ts';
import { findShop } from '../ground/session/arguments.ts';
import { openLedger } from '../ground/session/deployment.ts';
import { commandsOf, openShopServices } from '../ground/session/services.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import { type Document, facts, table } from '../ground/terminal/document.ts';
import {
  BadArguments,
  EXIT,
  type ExitCode,
  Problem,
  StoppedEarly,
} from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, spanText } from '../ground/terminal/text.ts';
import {
  amountText,
  type BalancesFile,
  type Fault,
  numberText,
  readBalances,
} from './balances-file.ts';
import { changeRows, checkRows, type ImportRow, openRows } from './run-import.ts';

export interface ImportOptions extends CommonOptions {
  readonly name?: string;
  readonly perSecond?: number;
  readonly check?: boolean;
  readonly undo?: boolean;
}

const DEFAULT_RATE = 5;
const READS_PER_CHANGE = 4;

/** Read the file → check all of it → show what it comes to → ask → give, or take back → report. */
export async function importBalances(
  session: Session,
  options: ImportOptions,
  path = '',
): Promise<Document | ExitCode> {
  const { check, undo = false, perSecond = DEFAULT_RATE } = options;
  if (check && undo) throw new BadArguments('give either --check or --undo.');
  const bytes = await readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    const why = code === 'ENOENT' ? 'it does not exist' : code;
    throw new BadArguments(`the file ${path} cannot be read: ${why}.`);
  });
  // Not of its content: a corrected file goes on with the same import.
  const name = options.name ?? parse(path).name;
  if (!/^[\w.-]{1,50}$/.test(name)) {
    const form = 'up to 50 letters, digits, hyphens, dots and underscores';
    throw new BadArguments(`--name has ${form}; without it the file's name must have that form.`);
  }
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const file = readBalances(bytes, commandsOf(shop).customerId);
  const { unit } = file;
  const ledger = openLedger(deployment);
  const isObserved = (await readControl(ledger, shop.domain)).observing !== undefined;
  if (!check && (isObserved || shop.mode === 'observe')) {
    throw new Problem(
      `${shop.domain} is only observed until go-live: nobody's balance is changed before.`,
      `Check the file with --check; go live first: npx loyalty-connector go-live --help`,
    );
  }
  const services = openShopServices(deployment);
  const signal = session.interruption();
  const { callsPerSecond = Number.POSITIVE_INFINITY } = deployment.connector.loyalty;
  const readsPerSecond = Math.min(perSecond * READS_PER_CHANGE, callsPerSecond);
  const deps = {
    ...{ shop: shop.domain, rules: shop.rules, name, unit, signal },
    ...{ pace: createPace(perSecond), readPace: createPace(readsPerSecond) },
    ...{ ledger, loyalty: services.loyalty(shop), store: services.store },
    findByEmail: async (email: string) => (await customerWith(email, { services, shop }))[0]?.id,
    pause: (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined),
    now: () => new Date(),
  };
  const title = `Import of ${unit} into ${shop.domain}: ${name}`;
  const data = { shop: shop.domain, name, unit };

  const finding = session.terminal.progress('Found:', file.rows.length);
  const found = await openRows(file, { ...deps, onProgress: finding.report });
  const { rows, faults: absent } = found;
  const unchecked = undo ? [] : rows.filter(({ state }) => state === 'none');
  const checking = session.terminal.progress('Checked:', unchecked.length);
  const unknown = await checkRows(unchecked, { ...deps, onProgress: checking.report });
  if (signal.aborted) throw new StoppedEarly();
  const faults = [...file.faults, ...(undo ? [] : absent), ...unknown];
  const differing = differencesIn(rows, unit);
  const toCreate = countOf(rows, 'new');
  if (faults.length > 0 || check) {
    const isGood = faults.length + differing.length === 0;
    const many = faults.length === 0 ? 'no faults' : counted(faults.length, 'fault');
    const what = [`The file has ${many}.`, ...differenceText(differing), 'Nothing was changed.'];
    const verdict = { kind: isGood ? 'ok' : 'action required', what: what.join(' ') } as const;
    const creates = facts([['Would create', createText(toCreate)]]);
    const blocks = [creates, await linesTable([...faults, ...differing], path)];
    session.show({ title, verdict, blocks, data: { ...data, faults, toCreate, differing } });
    return isGood ? EXIT.fine : faults.length > 0 ? EXIT.badArguments : EXIT.failed;
  }
  if (!undo && totalOf(rows, 'taking', 'taken').rows > 0) {
    throw new BadArguments('this was taken back: to give it again, choose another --name.');
  }

  const states = undo ? (['giving', 'given', 'taking'] as const) : (['none', 'giving'] as const);
  // What is not in the file any more is only taken back.
  const meant = undo ? rows : rows.filter(({ wanted }) => wanted > 0);
  const due = totalOf(meant, ...states);
  const doing = `${undo ? 'Take back' : 'Give'} ${amountText(unit, due.sum)}`;
  const lineWith = (given: Pick<ImportOptions, 'undo' | 'yes'>) =>
    line('import balances', [path], {
      ...{ shop: shop.domain, name, 'per-second': options.perSecond },
      ...given,
    });
  const largest = rows.reduce((most, { amount }) => Math.max(most, amount), 0);
  const changes = due.rows + toCreate;
  const time = `about ${spanText((changes / perSecond) * 1000)} at ${perSecond}/s (--per-second)`;
  if (due.rows === 0) return changeAll();
  return carryOut(session, deployment, options.yes, {
    preview: async () => ({
      title,
      blocks: [
        facts([
          ['Would', doing.toLowerCase()],
          ['Rows', `${due.rows} of ${rows.length}, the largest ${amountText(unit, largest)}`],
          ['Would create', createText(toCreate)],
          ['Changes', `${changes}, in ${time}`],
          ['Name', `${name}; a corrected file of this name gives nothing twice`],
        ]),
        ...(differing.length > 0 ? [await linesTable(differing, path)] : []),
      ],
      next: [{ label: doing, line: lineWith({ undo, yes: true }) }],
      data: { ...data, ...due, toCreate, largest, differing },
    }),
    question: `${doing}?`,
    about: { name },
    act: changeAll,
  });

  /** `change`: undefined where nothing is left to do. */
  async function changeAll(change?: Change): Promise<Document> {
    const progress = session.terminal.progress(undo ? 'Taken back:' : 'Given:', due.rows);
    const onProgress = (done: number) => {
      progress.report(done);
      change?.count({ rows: done });
    };
    const changed = await changeRows(undo ? 'take' : 'give', meant, { ...deps, onProgress });
    const refused = [...(undo ? absent : []), ...changed];
    const left = totalOf(meant, ...states).rows - changed.length;
    const [given, takenBack] = [totalOf(rows, 'given'), totalOf(rows, 'taken')];
    const created = countOf(rows, 'created');
    const totalText = ({ rows: many, sum }: typeof given) =>
      many === 0 ? undefined : `${amountText(unit, sum)}, in ${counted(many, 'row')}`;
    const isComplete = refused.length === 0 && left === 0;
    const isDone = isComplete && (undo || differing.length === 0);
    const undone = `${counted(refused.length, 'row')} refused, ${left} not reached.`;
    const wrong = [...(isComplete ? [] : [undone]), ...(undo ? [] : differenceText(differing))];
    const again = { label: 'Try the others again', line: lineWith({ undo }) };
    const back = { label: 'Take it back', line: lineWith({ undo: true }) };
    return {
      title,
      verdict: isDone
        ? { kind: 'ok', what: due.rows > 0 ? 'All is done.' : 'Nothing was left to do.' }
        : { kind: 'action required', what: wrong.join(' ') },
      blocks: [
        facts([
          ['Created', createText(created)],
          ['Given', totalText(given)],
          ['Taken back', totalText(takenBack)],
        ]),
        await linesTable([...refused, ...differing], path),
      ],
      next: [...(isComplete ? [] : [again]), ...(undo ? [] : [back])],
      data: { ...data, created, given, takenBack, refused, left, differing },
    };
  }
}

function totalOf(rows: readonly ImportRow[], ...states: readonly ImportRow['state'][]) {
  const found = rows.filter(({ state }) => states.includes(state));
  return { rows: found.length, sum: found.reduce((sum, { amount }) => sum + amount, 0) };
}

/** What was given otherwise than the file says, or to somebody whom it does not name any more. */
function differencesIn(rows: readonly ImportRow[], unit: BalancesFile['unit']): readonly Fault[] {
  return rows.flatMap(({ line: n, id, amount, wanted, state }) => {
    if (amount === wanted || (wanted === 0 && state === 'taken')) return [];
    const [given, says] = [numberText(unit, amount), numberText(unit, wanted)];
    const may = state === 'giving' ? 'perhaps ' : '';
    const what = `${given} were ${may}given under this name, the file says ${says}`;
    return [{ line: n, what: wanted > 0 ? what : `customer ${id}: ${given} were ${may}given` }];
  });
}

const differenceText = ({ length }: readonly Fault[]) =>
  length === 0 ? [] : [`${counted(length, 'row')} with another amount than was given, or gone.`];

const countOf = (rows: readonly ImportRow[], wanted: ImportRow['customer']) =>
  rows.filter(({ customer }) => customer === wanted).length;

const createText = (many: number) =>
  many === 0 ? undefined : `${counted(many, 'customer')} of the store in the loyalty service`;

const MOST_SHOWN = 200;

/** Where there are too many for a screen, all of them in a file. */
async function linesTable(faults: readonly Fault[], path: string) {
  const whereOf = ({ line: n }: Fault) => (n === 0 ? 'not in it' : `line ${n}`);
  const sorted = faults.toSorted((one, other) => one.line - other.line);
  const shown = sorted.slice(0, MOST_SHOWN).map((one) => [whereOf(one), one.what]);
  const more = faults.length - shown.length;
  const file = `${path}.faults.csv`;
  const lines = sorted.map((one) => `${whereOf(one)},${JSON.stringify(one.what)}`);
  if (more > 0) await writeFile(file, `where,what\n${lines.join('\n')}\n`);
  const rest = more > 0 ? [['…', `and ${more} more: all are in ${file}`]] : [];
  return table(['Where', { title: 'What is wrong', shrinks: true }], [...shown, ...rest]);
}
