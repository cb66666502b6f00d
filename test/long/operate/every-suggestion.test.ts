import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { captureOutput } from '../../../local/harness/captured-output.ts';
import storefront from '../../../local/harness/storefront.config.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { openConsole } from '../../../scripts/connector/ground/console/server.ts';
import { COMMAND_KINDS } from '../../../scripts/connector/ground/session/command-kinds.ts';
import type { Deployment } from '../../../scripts/connector/ground/session/deployment.ts';
import { runAction } from '../../../scripts/connector/ground/session/run-action.ts';
import type { Document, Suggestion } from '../../../scripts/connector/ground/terminal/document.ts';
import { type Line, line, lineText } from '../../../scripts/connector/ground/terminal/line.ts';
import { printDocument } from '../../../scripts/connector/ground/terminal/print-document.ts';
import { createTerminal } from '../../../scripts/connector/ground/terminal/terminal.ts';
import { type Asked, ask, suggestedIn, textsIn } from '../../support/asked-documents.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { SECRETS, SHOP } from '../../support/operated-connector.ts';
import { openState, STATE_NAMES, type World } from '../../support/operated-states.ts';

// What a command waits between two looks; its time limits stay.
vi.mock('node:timers/promises', async (original) => {
  const timers = await original<typeof import('node:timers/promises')>();
  const setTimeout: typeof timers.setTimeout = (ms = 0, ...rest) =>
    timers.setTimeout(ms <= 2_500 ? Math.min(ms, 20) : ms, ...rest);
  return { ...timers, setTimeout };
});

// It moves on by itself, and by a minute where the test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

/** What an operator asks first; of what is in the store, the newest, because it had others from its start. */
function rootsOf({ store: { rows } }: World): readonly Line[] {
  const trace = (kind: string, those: Iterable<{ readonly id: string }>) =>
    [...those].slice(-2).map(({ id }) => line('trace', [kind, id], { shop: SHOP }));
  return [
    ...['status', 'doctor', 'dead-letters list', 'reconcile status', 'redemptions list'],
    ...['backfill status', 'pause', 'history'],
  ]
    .map((command) => line(command))
    .concat(
      line('webhooks check', [], { shop: SHOP }),
      line('compare', ['orders'], { since: '1d' }),
      ...trace('order', rows.orders.values()),
      ...trace('customer', rows.customers.values()).slice(1),
      ...trace('product', rows.products.values()).slice(1),
      ...trace(
        'coupon',
        [...rows.codes.values()].map(({ code: id }) => ({ id })),
      ).slice(1),
    );
}

const isChange = ({ command }: Line) => COMMAND_KINDS[command] === 'changes';

function hasYes({ command }: Line): boolean {
  const [first, second] = command.split(' ');
  const group = createProgram().commands.find((one) => one.name() === first);
  const found = second === undefined ? group : group?.commands.find((one) => one.name() === second);
  return found?.options.some(({ long }) => long === '--yes') ?? false;
}

/** Without what a person must agree to. */
function preview({ options: { yes: _, ...options }, ...rest }: Line): Line {
  return { ...rest, options };
}

/** Equal for lines that differ in nothing but what they are about. */
function shapeOf({ command, operands, options }: Line): string {
  const { reason, limit: _, after: __, ...others } = options;
  const names = Object.keys(others).filter((name) => others[name] !== undefined);
  return [command, operands.length > 1 ? operands[0] : '', ...names.sort(), reason].join(' ');
}

interface Followed extends Suggestion {
  readonly from: Line;
}

/** Asks the roots, and then what answers suggest, one of each shape; what changes something only without `--yes`. */
async function lookAround(world: World) {
  const asked = new Map<string, Asked>();
  const followed: Followed[] = [];
  const shapes = new Set<string>();
  const open = [...rootsOf(world)];
  for (let next = open.shift(); next; next = open.shift()) {
    const answer = await ask(next);
    shapes.add(shapeOf(next));
    asked.set(lineText(next), answer);
    for (const one of answer.documents.flatMap(suggestedIn)) {
      const shown = preview(one.line);
      followed.push({ ...one, from: next });
      if (isChange(shown) && !hasYes(shown)) continue;
      if (!shapes.has(shapeOf(shown))) open.push(shown);
      shapes.add(shapeOf(shown));
    }
  }
  return { asked, followed };
}

/** They leave the others nothing to do. */
const LAST = ['dead-letters drop', 'redemptions close'];
/** They do the same in every state. */
const ONCE = ['reconcile', 'backfill orders', 'storefront setup'];
/** Nothing would be well after a pause. */
const doneOnce = new Set(['pause']);

/** Does what was suggested, one of each command, after the cause is gone. */
async function doAll(world: World, followed: readonly Followed[]): Promise<readonly Asked[]> {
  world.loyalty.faults.clear();
  world.store.faults.clear();
  world.metrics.length = 0;
  // The workers ask a service that failed again after half a minute.
  vi.setSystemTime(Date.now() + 60_000);
  const kinds = Map.groupBy(
    followed.filter(({ line: one }) => isChange(one) && !doneOnce.has(one.command)),
    ({ line: { command, operands, options } }) => [command, operands[0], options.reason].join(' '),
  );
  const rank = ({ line: { command } }: Suggestion) => LAST.indexOf(command);
  const changes = [...kinds.values()].flatMap(([one]) => one ?? []);
  const done: Asked[] = [];
  for (const { line: given } of changes.toSorted((one, other) => rank(one) - rank(other))) {
    if (ONCE.includes(given.command)) doneOnce.add(given.command);
    const options = { ...given.options, ...(hasYes(given) && { yes: true }) };
    done.push(await world.atWork(ask({ ...given, options }, inputOf(given))));
  }
  return done;
}

/** What a person enters where a command asks. */
const inputOf = ({ operands: [purpose] }: Line): string =>
  JSON.stringify(
    purpose === 'webhook'
      ? { current: 'another-secret-8d11' }
      : SECRETS[purpose === 'store' ? 'store' : 'loyalty'],
  );

/** It could not be understood, or it broke. */
function failuresIn({ line: asked, code, documents, problem }: Asked): readonly string[] {
  const name = lineText(asked);
  if (code === undefined || code === 2) return [`${name}: ends with ${code}, ${problem?.message}`];
  if (problem?.next?.includes('unexpected')) return [`${name}: breaks, ${problem.message}`];
  return documents.length === 0 && !problem ? [`${name}: answers nothing`] : [];
}

const INTERNAL =
  /redemption-in-progress|shop-paused|\bsettled\b|\bfailing\b|backfill\/order|\brevision\b|\$ is not JSON|\[object|undefined|\bNaN\b|\bnull\b|receiptHandle/;
const THING =
  '(?:[a-z]+ )?(?:message|order|letter|webhook|redemption|check|product|coupon|code|time|call|customer|subscription|thing)';
const NUMBER = /(?<![\d.,:#/-])/.source;
const WRONG_PLURAL = new RegExp(
  [
    `${NUMBER}1 ${THING}(?:s|s? (?:wait|are|were|have))\\b`,
    `${NUMBER}(?:0|[2-9]|\\d{2,}) ${THING}(?:s (?:waits|is|was|has))?\\b(?! [a-z]+s\\b)`,
  ].join('|'),
);

function wordsIn({ line: asked, documents }: Asked): readonly string[] {
  return documents.flatMap(textsIn).flatMap((text) => {
    const found = INTERNAL.exec(text) ?? WRONG_PLURAL.exec(text);
    return found ? [`${lineText(asked)}: "${found[0]}" in "${text}"`] : [];
  });
}

/** `Send 5` opens a document that knows of 5, and none leads to itself. */
function labelMistakes(
  { label, line: given, from }: Followed,
  asked: ReadonlyMap<string, Asked>,
): readonly string[] {
  const asker = lineText(from);
  if (label !== '' && lineText(given) === asker) return [`${asker}: suggests itself`];
  const opened = asked.get(lineText(preview(given)));
  const [count] = /(?<![\d#-])\b\d{1,4}\b/.exec(label) ?? [];
  if (count === undefined || !opened) return [];
  const texts = [...opened.documents.flatMap(textsIn), opened.problem?.message ?? ''];
  const isTold = texts.some((text) => text.split(/\D+/).includes(count));
  if (isTold || opened.documents.some((one) => hasList(one, Number(count)))) return [];
  return [`${asker}: "${label}" (${lineText(given)}) does not tell of ${count}`];
}

/** So many rows or findings; of the first one, the others may follow. */
function hasList(value: unknown, many: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) && (value.length === many || value.length === many - 1)) return true;
  return Object.values(value).some((one) => hasList(one, many));
}

const OF_ALL = ['status', 'dead-letters list', 'webhooks check'];

/** What one document calls well, and another one of the same moment does not. */
function contradictions(asked: readonly Asked[]): readonly string[] {
  const found = { ok: new Map<string, string>(), 'action required': new Map<string, string>() };
  const note = (about: string, kind: string | undefined, asker: Line) => {
    if (kind === 'ok' || kind === 'action required') found[kind].set(about, lineText(asker));
  };
  for (const { line: asker, documents } of asked) {
    const kind = documents.at(-1)?.verdict?.kind;
    if (asker.command === 'trace') note(asker.operands.join(' '), kind, asker);
    if (asker.command === 'redemptions show')
      note(`redemptions of ${asker.operands[0]}`, kind, asker);
    // A part may be well where the whole is not.
    if (OF_ALL.includes(asker.command) && (asker.command === 'status' || kind !== 'ok')) {
      note('the whole', kind, asker);
    }
    for (const about of documents.flatMap(badRowsIn)) note(about, 'action required', asker);
  }
  return [...found.ok].flatMap(([about, asker]) => {
    const other = found['action required'].get(about);
    return other ? [`${about}: well in "${asker}", action required in "${other}"`] : [];
  });
}

/** What the bad rows of a list are about. */
function badRowsIn({ blocks }: Document): readonly string[] {
  const rows = blocks.flatMap((block) => (block.kind === 'table' ? block.rows : []));
  return rows.flatMap(({ cells, tone }) => {
    const isBad = [{ tone }, ...cells].some((one) => Object(one).tone === 'bad');
    const [{ line: { command = '', operands = [] } = {} } = {}] = suggestedIn(cells);
    if (!isBad || !['trace', 'redemptions show'].includes(command)) return [];
    return [command === 'trace' ? operands.join(' ') : `redemptions of ${operands[0]}`];
  });
}

/** Commands that no state suggests. */
const OTHERS: readonly Line[] = [
  ...['dead-letters scan', 'retry-now'].map((command) => line(command)),
  ...['backfill products', 'backfill discounts'].map((command) => line(command)),
  line('app write', [], { 'client-id': '0a1b2c3d4e5f60718293a4b5c6d7e8f9' }),
  line('probe', [], { yes: true, wait: '0' }),
  line('recover', [], { since: '1d' }),
  line('init', ['new-shop'], {
    shop: SHOP,
    'loyalty-address': 'https://loyalty.example.com',
    yes: true,
  }),
  line('secrets set', ['loyalty']),
  line('privacy erase-shop', [SHOP]),
  line('audit', [], { since: '1h' }),
];
/** A file with a customer whom the service knows; its path. */
function balancesOf({ folder, loyalty }: World): string {
  const path = join(folder, 'balances.csv');
  const [customer] = loyalty.state().customers;
  writeFileSync(path, `customer,points\n${customer?.OriginalId},100\n`);
  return path;
}

/** They never end, or need an AWS account or its tools. */
const NOT_RUN = ['start', 'console', 'setup', 'deploy', 'synth'];

const answered: Asked[] = [];

it.each(STATE_NAMES)('every suggested command works where it was suggested: %s', async (name) => {
  const world = await openState(name);
  onTestFinished(() => world.close());
  const { asked, followed } = await lookAround(world);
  const before = [...asked.values()];
  const done = [...(await doAll(world, followed))];
  const after = await ask(line('status'));
  if (name === 'all is well') {
    const others = [...OTHERS, line('import balances', [balancesOf(world)], { yes: true })];
    for (const one of others) done.push(await world.atWork(ask(one, inputOf(one))));
  }
  answered.push(...before, ...done);
  const mistakes = [
    ...[...before, ...done].flatMap((one) => [...failuresIn(one), ...wordsIn(one)]),
    ...followed.flatMap((one) => labelMistakes(one, asked)),
    ...contradictions(before),
    ...(after.documents.at(-1)?.verdict?.kind === 'action required'
      ? [`after all: ${JSON.stringify(after.documents.at(-1)?.blocks[0])}`]
      : []),
  ];
  expect(mistakes).toEqual([]);
});

it('every command answers with a document', () => {
  const names = answered.flatMap((one) => (one.documents.length > 0 ? one.line.command : []));
  const all = Object.keys(COMMAND_KINDS).filter((name) => !NOT_RUN.includes(name));
  expect([...new Set(names)].sort()).toEqual(all.sort());
});

/** Without those that differ from another one in nothing but numbers. */
function differentDocuments(): readonly Document[] {
  const shown = answered.flatMap((one) => one.documents.map(({ data: _, ...rest }) => rest));
  const words = (one: Document) => JSON.stringify(one).replace(/[\da-f-]*\d[\da-f-]*/g, '');
  return [...new Map(shown.map((one) => [words(one), one])).values()];
}

const plain = (text: string) => text.replace(/\s+/g, '').toLowerCase();

it('a terminal prints every document', () => {
  const output = captureOutput();
  for (const document of answered.flatMap((one) => one.documents)) {
    printDocument(createTerminal({ quiet: true }), document, { now: new Date(), full: true });
  }
  output.stop();
  const printed = plain(output.pieces.join(''));
  expect(differentDocuments().filter(({ title }) => !printed.includes(plain(title)))).toEqual([]);
});

it.runIf(findBrowser() !== undefined)('the page draws every document', async () => {
  const documents = differentDocuments();
  const deployment = {
    ...{ where: 'aws', stage: 'prod', stack: 'loyalty-connector-prod', region: 'eu-west-1' },
    ...{ version: '1.0.0', aws: {}, connector: storefront },
  } as unknown as Deployment;
  const answer = runAction(async (_session, _options, index = '') => {
    const { title = '', blocks = [], ...rest } = documents[Number(index)] ?? {};
    return { title: `${index} ${title}`, blocks, ...rest };
  });
  const opened = await openConsole(
    deployment,
    {
      createProgram: () =>
        new Command().addCommand(new Command('trace').argument('<index>').action(answer)),
      readOnly: false,
    },
    () => {},
  );
  const browser = await startBrowser(findBrowser() ?? '');
  onTestFinished(async () => {
    await browser.close();
    await opened.stop();
  });
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(`${opened.address}#/trace/0`);
  const drawn = (await page.evaluate(`(async () => {
    const texts = [];
    for (let index = 0; index < ${documents.length}; index += 1) {
      location.hash = '#/trace/' + index;
      const isThere = () => document.querySelector('h1')?.textContent.startsWith(index + ' ');
      while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
      texts.push(document.querySelector('main').textContent);
    }
    return texts;
  })()`)) as readonly string[];
  const missing = documents.flatMap(({ title, verdict, next = [] }, index) => {
    const words = [title, verdict?.what ?? '', ...next.map(({ label }) => label)];
    return words.filter((one) => !plain(drawn[index] ?? '').includes(plain(one)));
  });
  expect({ problems, missing }).toEqual({ problems: [], missing: [] });
});
