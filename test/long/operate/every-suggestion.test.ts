import { appendFileSync } from 'node:fs';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { captureOutput } from '../../../local/harness/captured-output.ts';
import storefront from '../../../local/harness/storefront.config.ts';
import { openConsole } from '../../../scripts/connector/console/run-console.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import type { Deployment } from '../../../scripts/connector/deployment/deployment.ts';
import type { Document, Suggestion } from '../../../scripts/connector/document/document.ts';
import { type Line, line, lineText } from '../../../scripts/connector/document/line.ts';
import { printDocument } from '../../../scripts/connector/document/print-document.ts';
import { COMMAND_KINDS } from '../../../scripts/connector/session/command-kinds.ts';
import { runAction } from '../../../scripts/connector/session/run-action.ts';
import { createTerminal } from '../../../scripts/connector/terminal/terminal.ts';
import { type Asked, ask, suggestedIn, textsIn } from '../../support/asked-documents.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { SHOP } from '../../support/operated-connector.ts';
import { inputOf, openWorld, STATES, type World } from '../../support/operated-states.ts';

// What a command waits between two looks; its time limits stay.
vi.mock('node:timers/promises', async (original) => {
  const timers = await original<typeof import('node:timers/promises')>();
  const setTimeout: typeof timers.setTimeout = (ms = 0, ...rest) =>
    timers.setTimeout(ms <= 2_500 ? Math.min(ms, 20) : ms, ...rest);
  return { ...timers, setTimeout };
});

const log = (text: string) => appendFileSync('/tmp/rs/log', `${text}\n`);

const ROOTS: readonly Line[] = [
  line('status'),
  line('doctor'),
  line('dead-letters list'),
  line('compare', ['orders'], { since: '1d' }),
  line('reconcile status'),
  line('redemptions list'),
  line('webhooks check', [], { shop: SHOP }),
  line('backfill status'),
  line('pause'),
  line('history'),
];

/** The newest of each kind: the store had others from its start. */
function entitiesOf({ store: { rows } }: World): readonly Line[] {
  const newest = (kind: string, those: Iterable<{ readonly id: string }>, most = 1) =>
    [...those].slice(-most).map(({ id }) => line('trace', [kind, id], { shop: SHOP }));
  const codes = [...rows.codes.values()].map(({ code: id }) => ({ id }));
  return [
    ...newest('order', rows.orders.values(), 3),
    ...newest('customer', rows.customers.values()),
    ...newest('product', rows.products.values()),
    ...newest('coupon', codes),
  ];
}

const isChange = ({ command }: Line) => COMMAND_KINDS[command] === 'changes';

/** Without what a person must agree to. */
function preview({ options: { yes: _, ...options }, ...rest }: Line): Line {
  return { ...rest, options };
}

function hasYes({ command }: Line): boolean {
  const [first, second] = command.split(' ');
  const group = createProgram().commands.find((one) => one.name() === first);
  const found = second === undefined ? group : group?.commands.find((one) => one.name() === second);
  return found?.options.some(({ long }) => long === '--yes') ?? false;
}

/** Equal for lines that differ in nothing but what they are about. */
function shapeOf({ command, operands, options }: Line): string {
  const { reason, limit: _, after: __, ...others } = options;
  const names = Object.keys(others).filter((name) => others[name] !== undefined);
  return [command, operands.length > 1 ? operands[0] : '', ...names.sort(), reason].join(' ');
}

/** So many lines of one shape are asked in a state. */
const MOST_ALIKE = 2;

interface Followed extends Suggestion {
  readonly from: Line;
}

/** Asks the roots, and then everything that an answer suggests; what changes something only without `--yes`. */
async function lookAround(world: World) {
  const asked = new Map<string, Asked>();
  const followed: Followed[] = [];
  const alike = new Map<string, number>();
  const open = [...ROOTS, ...entitiesOf(world)];
  for (let next = open.shift(); next; next = open.shift()) {
    const many = alike.get(shapeOf(next)) ?? 0;
    if (asked.has(lineText(next)) || many === MOST_ALIKE + (next.command === 'trace' ? 1 : 0))
      continue;
    alike.set(shapeOf(next), many + 1);
    const at = performance.now();
    const answer = await ask(next);
    log(
      `  ${Math.round(performance.now() - at)} ms  ${lineText(next)} -> ${answer.code} ${answer.problem?.message ?? ''} ${JSON.stringify(answer.documents.at(-1)?.verdict)}`,
    );
    asked.set(lineText(next), answer);
    for (const one of answer.documents.flatMap(suggestedIn)) {
      followed.push({ ...one, from: next });
      if (!isChange(one.line) || hasYes(one.line)) open.push(preview(one.line));
    }
  }
  return { asked, followed };
}

/** They leave the others nothing to do. */
const LAST = ['dead-letters drop', 'redemptions close', 'pause'];
/** They do the same in every state. */
const ONCE = ['reconcile', 'backfill orders', 'pause', 'storefront setup'];
const doneOnce = new Set<string>();

/** Does what was suggested, one of each kind, after the cause is gone. */
async function doAll(world: World, followed: readonly Followed[]): Promise<readonly Asked[]> {
  world.loyalty.faults.clear();
  // The workers ask a service that failed again after half a minute.
  vi.setSystemTime(Date.now() + 60_000);
  const kinds = Map.groupBy(
    followed.filter(({ line: { command } }) => isChange(line(command)) && !doneOnce.has(command)),
    ({ line: { command, operands, options } }) =>
      [command, operands[0], options.refetch, options.finish, options.queue === undefined].join(),
  );
  const changes = [...kinds.values()].flatMap(([one]) => one ?? []);
  const rank = ({ line: { command } }: Suggestion) => LAST.indexOf(command);
  const done: Asked[] = [];
  for (const { line: given } of changes.toSorted((one, other) => rank(one) - rank(other))) {
    if (ONCE.includes(given.command)) doneOnce.add(given.command);
    const options = { ...given.options, ...(hasYes(given) && { yes: true }) };
    const at = performance.now();
    const answer = await world.atWork(ask({ ...given, options }, inputOf(given.operands[0])));
    log(
      `  ${Math.round(performance.now() - at)} ms  [] ${lineText(answer.line)} -> ${answer.code} ${answer.problem?.message ?? ''} ${JSON.stringify(answer.documents.at(-1)?.verdict)}`,
    );
    done.push(answer);
  }
  return done;
}

/** It could not be understood, or it broke. */
function failuresIn({ line: asked, code, documents, problem }: Asked): readonly string[] {
  const name = lineText(asked);
  if (code === undefined || code === 2) return [`${name}: ends with ${code}, ${problem?.message}`];
  if (problem?.next?.includes('unexpected')) return [`${name}: breaks, ${problem.message}`];
  return documents.length === 0 && !problem ? [`${name}: answers nothing`] : [];
}

const INTERNAL =
  /redemption-in-progress|shop-paused|\bsettled\b|\bfailing\b|backfill\/order|\brevision\b|\$ is not JSON|\[object|undefined|\bNaN\b|\bnull\b|receiptHandle/;
const NOUNS =
  '(?:message|order|letter|webhook|redemption|check|product|coupon|code|time|call|customer|subscription|thing|minute)';
const PLURAL = new RegExp(
  [
    `(?<![\\d.,:#/-])1 (?:[a-z]+ )?${NOUNS}s\\b`,
    `(?<![\\d.,:#/-])1 (?:[a-z]+ )?${NOUNS} (?:wait|are|were|have)\\b`,
    `(?<![\\d.,:#/-])(?:0|[2-9]|\\d{2,}) (?:[a-z]+ )?${NOUNS}\\b(?! [a-z]+s\\b)`,
    `(?<![\\d.,:#/-])\\d+ (?:[a-z]+ )?${NOUNS}s (?:waits|is|was|has)\\b`,
  ].join('|'),
);

function wordsIn({ line: asked, documents }: Asked): readonly string[] {
  return documents.flatMap(textsIn).flatMap((text) => {
    const found = INTERNAL.exec(text) ?? PLURAL.exec(text);
    return found ? [`${lineText(asked)}: "${found[0]}" in "${text}"`] : [];
  });
}

/** `Send 5` opens a document that knows of 5. */
function labelMistakes(
  { label, line: given, from }: Followed,
  asked: ReadonlyMap<string, Asked>,
): readonly string[] {
  const name = lineText(given);
  const same =
    label !== '' && lineText(given) === lineText(from)
      ? [`${lineText(from)}: suggests itself`]
      : [];
  const opened = asked.get(lineText(preview(given)));
  const [count] = /(?<![\d#-])\b\d{1,4}\b/.exec(label) ?? [];
  if (count === undefined || !opened) return same;
  const texts = [...opened.documents.flatMap(textsIn), opened.problem?.message ?? ''];
  const isThere =
    texts.some((text) => new RegExp(`(?<![\\d.])${count}(?![\\d.]\\d)`).test(text)) ||
    opened.documents.some((document) => hasList(document, Number(count)));
  return isThere
    ? same
    : [...same, `${lineText(from)}: "${label}" (${name}) does not tell of ${count}`];
}

/** So many rows or findings; of the first one, the others may follow. */
function hasList(value: unknown, many: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) && (value.length === many || value.length === many - 1)) return true;
  return Object.values(value).some((one) => hasList(one, many));
}

/** Documents of the same moment that contradict each other. */
function contradictions(asked: readonly Asked[]): readonly string[] {
  const [well, bad] = [new Map<string, string>(), new Map<string, string>()];
  const note = (about: string, kind: string | undefined, asker: Line) => {
    if (kind === 'well') well.set(about, lineText(asker));
    if (kind === 'action required') bad.set(about, lineText(asker));
  };
  for (const { line: asker, documents } of asked) {
    const document = documents.at(-1);
    const { command, operands } = asker;
    const kind = document?.verdict?.kind;
    if (command === 'trace') note(operands.join(' '), kind, asker);
    if (command === 'redemptions show') note(`customer ${operands[0]}`, kind, asker);
    if (['status', 'dead-letters list', 'webhooks check'].includes(command)) {
      // Others may be well beside it, but not the whole.
      if (command === 'status' || kind !== 'well') note('the whole', kind, asker);
    }
    for (const { line: opened, tone } of document ? rowsIn(document) : []) {
      const about =
        opened.command === 'trace' ? opened.operands.join(' ') : `customer ${opened.operands[0]}`;
      if (tone === 'bad') note(about, 'action required', asker);
    }
  }
  return [...well].flatMap(([about, asker]) =>
    bad.has(about) ? [`${about}: well in "${asker}", action required in "${bad.get(about)}"`] : [],
  );
}

/** The rows of `compare` and `redemptions list`: what each opens, and its worst tone. */
function rowsIn({ blocks }: Document) {
  return blocks.flatMap((block) => {
    if (block.kind !== 'table') return [];
    return block.rows.flatMap(({ cells, tone }) => {
      const [opened] = suggestedIn(cells);
      const tones = cells.flatMap((cell) =>
        typeof cell === 'object' && 'tone' in cell ? cell.tone : [],
      );
      if (!opened || !['trace', 'redemptions show'].includes(opened.line.command)) return [];
      return [{ line: opened.line, tone: [tone, ...tones].includes('bad') ? 'bad' : undefined }];
    });
  });
}

/** Commands that no state suggests. */
const OTHERS: readonly Line[] = [
  line('send'),
  line('dead-letters scan'),
  line('app write'),
  line('app check'),
  line('probe', [], { yes: true, wait: '0' }),
  line('recover', [], { since: '1d' }),
  line('init', ['new-shop'], { yes: true }),
  line('backfill products'),
  line('backfill discounts'),
  line('secrets set', ['loyalty']),
];
/** They never end, or need an AWS account or its tools. */
const NOT_RUN = ['start', 'console', 'setup', 'deploy', 'synth'];

const answered: Asked[] = [];

// It moves on by itself, and by minutes where a test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

it.each(Object.keys(STATES))(
  'every suggested command works in the state that suggested it: %s',
  async (name) => {
    const t = performance.now();
    const world = await openWorld();
    onTestFinished(() => world.close());
    await STATES[name]?.(world);
    log(`${name}: made ${Math.round(performance.now() - t)}`);
    const { asked, followed } = await lookAround(world);
    log(`${name}: looked ${asked.size} ${Math.round(performance.now() - t)}`);
    const before = [...asked.values()];
    const done = [...(await doAll(world, followed))];
    if (name === 'all is well') {
      for (const one of OTHERS) done.push(await world.atWork(ask(one, inputOf(one.operands[0]))));
    }
    log(`${name}: done ${done.length} ${Math.round(performance.now() - t)}`);
    const all = [...before, ...done];
    answered.push(...all);
    const mistakes = [
      ...all.flatMap(failuresIn),
      ...all.flatMap(wordsIn),
      ...followed.flatMap((one) => labelMistakes(one, asked)),
      ...contradictions(before),
    ];
    for (const one of new Set(mistakes)) log(`XX ${name}: ${one}`);
    expect(mistakes).toEqual([]);
  },
);

/** Every document that differs from others in more than numbers. */
function differentDocuments(): readonly Document[] {
  const documents = answered.flatMap((one) => one.documents);
  const known = new Map(
    documents.map(({ data: _, ...shown }) => [
      JSON.stringify(shown).replace(/[\da-f-]*\d[\da-f-]*/g, ''),
      shown,
    ]),
  );
  return [...known.values()];
}

it('every command that was not left out on purpose has answered with a document', () => {
  const names = answered.flatMap((one) => (one.documents.length > 0 ? one.line.command : []));
  const all = Object.keys(COMMAND_KINDS).filter((name) => !NOT_RUN.includes(name));
  expect([...new Set(names)].sort()).toEqual(all.sort());
});

it('a terminal prints every document', () => {
  const output = captureOutput();
  for (const document of answered.flatMap((one) => one.documents)) {
    printDocument(createTerminal({ quiet: true }), document, { now: new Date(), full: true });
  }
  output.stop();
  const printed = plain(output.pieces.join(''));
  expect(differentDocuments().filter(({ title }) => !printed.includes(plain(title)))).toEqual([]);
});

const plain = (text: string) => text.replace(/\s+/g, '').toLowerCase();

it.runIf(findBrowser() !== undefined)('the page draws every document', async () => {
  const documents = differentDocuments();
  log(
    `${answered.flatMap((one) => one.documents).length} documents, ${documents.length} different`,
  );
  const deployment = {
    ...{ where: 'aws', stage: 'prod', stack: 'loyalty-connector-prod', region: 'eu-west-1' },
    ...{ version: '1.0.0', aws: {}, connector: storefront },
  } as unknown as Deployment;
  const program = () => {
    const made = new Command();
    const answer = runAction(async (_session, _options, index = '') => {
      const document = documents[Number(index)];
      if (!document) throw new Error(index);
      return { ...document, title: `${index} ${document.title}` };
    });
    made.command('trace').argument('<index>').action(answer);
    return made;
  };
  const opened = await openConsole(
    deployment,
    { createProgram: program, readOnly: false },
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
    const text = plain(drawn[index] ?? '');
    const wanted = [title, verdict?.what ?? '', ...next.map(({ label }) => label)];
    return wanted.filter((one) => !text.includes(plain(one))).map((one) => `${title}: ${one}`);
  });
  expect({ problems, missing }).toEqual({ problems: [], missing: [] });
});
